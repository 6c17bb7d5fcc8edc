#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/model/error.hpp>

namespace clatter {

/// Where a file gives the keys of a spec, "mass" or "section.radius"; empty for models built in
/// code. Copies share what they hold.
class KeyPlaces {
 public:
  struct Spot {
    int line = 0, column = 0;
  };
  struct Key {
    std::string name;
    std::string written = {};        ///< the key of the file that gives it, when another
    std::string override_name = {};  ///< instead of the file, when the value comes from there
    Spot value, key;
    std::vector<Spot> entries = {};     ///< of a value that is a list
    std::vector<Spot> components = {};  ///< of entries that are vectors: three for each
    bool is_doubtful = false;
  };

  KeyPlaces() = default;
  explicit KeyPlaces(std::string file) : file_(std::move(file)) {}

  bool empty() const { return keys_ == nullptr; }
  void add(Key key);
  /// Adds the keys of a table within the table, as "table.key".
  void add_nested(std::string_view table, const KeyPlaces& keys);
  /// The file gives `name` by another key.
  void set_written(std::string_view name, std::string_view by);
  /// What the file says of a key is wrong or missing, and has been complained about: nothing is to
  /// be concluded from the value that the spec has.
  void doubt(std::string_view name);
  bool is_doubtful(std::string_view name) const;

  /// As the user knows the key.
  std::string written(std::string_view name) const;
  /// Of the value; `otherwise` when the file does not give the key.
  Place value(std::string_view name, const Place& otherwise) const;
  Place entry(std::string_view name, std::size_t index, const Place& otherwise) const;
  /// Of one component of a list of vectors.
  Place component(std::string_view name, std::size_t index, std::size_t component,
                  const Place& otherwise) const;
  /// Of the key itself.
  Place key(std::string_view name, const Place& otherwise) const;

 private:
  const Key* find(std::string_view name) const;
  Key& make(std::string_view name);
  Place place(const Key& key, const Spot& spot) const;

  std::string file_;
  std::shared_ptr<std::vector<Key>> keys_;  ///< by name; own before it is changed
};

}  // namespace clatter
