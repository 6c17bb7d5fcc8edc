#include <fmt/format.h>

#include <clatter/elements/site.hpp>

namespace clatter {

int Site::node_of(const Attachment& attachment) const {
  if (attachment.body.empty() || attachment.body == "ground") return ground;
  const auto found = node_by_name.find(attachment.body);
  if (found == node_by_name.end())
    throw Error(fmt::format("there is no body '{}'", attachment.body));
  return found->second;
}

}  // namespace clatter
