#include <algorithm>
#include <utility>

#include <clatter/model/key_places.hpp>

namespace clatter {
namespace {

bool comes_before(const KeyPlaces::Key& key, std::string_view name) { return key.name < name; }

}  // namespace

const KeyPlaces::Key* KeyPlaces::find(std::string_view name) const {
  if (keys_ == nullptr) return nullptr;
  const auto found = std::lower_bound(keys_->begin(), keys_->end(), name, comes_before);
  return found != keys_->end() && found->name == name ? &*found : nullptr;
}

KeyPlaces::Key& KeyPlaces::make(std::string_view name) {
  if (keys_ == nullptr) keys_ = std::make_shared<std::vector<Key>>();
  if (keys_.use_count() > 1) keys_ = std::make_shared<std::vector<Key>>(*keys_);
  auto found = std::lower_bound(keys_->begin(), keys_->end(), name, comes_before);
  if (found == keys_->end() || found->name != name) {
    Key key;
    key.name = name;
    found = keys_->insert(found, std::move(key));
  }
  return *found;
}

void KeyPlaces::add(Key key) {
  Key& to = make(key.name);
  to = std::move(key);
}

void KeyPlaces::add_nested(std::string_view table, const KeyPlaces& keys) {
  if (keys.keys_ == nullptr) return;
  for (Key key : *keys.keys_) {
    if (key.written.empty()) key.written = key.name;
    key.name = std::string(table) + "." + key.name;
    add(std::move(key));
  }
}

void KeyPlaces::set_written(std::string_view name, std::string_view by) {
  const Key* source = find(by);
  if (source == nullptr) return;
  Key copy = *source;
  if (copy.written.empty()) copy.written = copy.name;
  copy.name = name;
  add(std::move(copy));
}

void KeyPlaces::doubt(std::string_view name) { make(name).is_doubtful = true; }

bool KeyPlaces::is_doubtful(std::string_view name) const {
  const Key* key = find(name);
  if (key != nullptr && key->is_doubtful) return true;
  const std::size_t dot = name.rfind('.');
  return dot != std::string_view::npos && is_doubtful(name.substr(0, dot));
}

std::string KeyPlaces::written(std::string_view name) const {
  const Key* key = find(name);
  if (key != nullptr && !key->written.empty()) return key->written;
  // Of "section.radius" a file has the table at hand.
  return std::string(empty() ? name : name.substr(name.rfind('.') + 1));
}

Place KeyPlaces::place(const Key& key, const Spot& spot) const {
  if (!key.override_name.empty()) return {key.override_name, 0, 0};
  return {file_, spot.line, spot.column};
}

Place KeyPlaces::value(std::string_view name, const Place& otherwise) const {
  const Key* key = find(name);
  if (key != nullptr && (key->value.line > 0 || !key->override_name.empty())) {
    return place(*key, key->value);
  }
  // A key of a table within the table is missing there.
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? otherwise : value(name.substr(0, dot), otherwise);
}

Place KeyPlaces::entry(std::string_view name, std::size_t index, const Place& otherwise) const {
  const Key* key = find(name);
  if (key == nullptr || index >= key->entries.size()) return value(name, otherwise);
  return place(*key, key->entries[index]);
}

Place KeyPlaces::component(std::string_view name, std::size_t index, std::size_t component,
                           const Place& otherwise) const {
  const Key* key = find(name);
  const std::size_t at = 3 * index + component;
  if (key == nullptr || at >= key->components.size() || key->components[at].line == 0) {
    return entry(name, index, otherwise);
  }
  return place(*key, key->components[at]);
}

Place KeyPlaces::key(std::string_view name, const Place& otherwise) const {
  const Key* key = find(name);
  return key == nullptr || key->key.line == 0 ? value(name, otherwise) : place(*key, key->key);
}

}  // namespace clatter
