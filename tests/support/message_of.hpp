#pragma once

#include <string>

#include <clatter/model/error.hpp>

namespace clatter::testing {

/// What the error says that an action ends with; nothing when it succeeds.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace clatter::testing
