#pragma once

#include <string>

#include <fmt/format.h>

#include <clatter/io/model_keys.hpp>
#include <clatter/machine/model.hpp>

/// The tables of the model file, one function each, and what several of them share.
namespace clatter::keys {

using enum ValueType;

using ranges::any, ranges::not_negative, ranges::positive;

// Defaults that the specs already hold are taken from there, so that they are said once.
inline std::string literal(double value) { return fmt::format("{}", value); }
inline std::string literal(int value) { return fmt::format("{}", value); }
inline std::string literal(bool value) { return value ? "true" : "false"; }
inline std::string literal(const std::string& value) { return fmt::format("\"{}\"", value); }

inline const std::string required = "required";

// root_keys.cpp
TableDescription model();

// body_keys.cpp
TableDescription body();
TableDescription repeat();
TableDescription sizes();
TableDescription shape();
TableDescription ground_shapes();
TableDescription orientation();

// beam_keys.cpp
TableDescription beam();
TableDescription section();

// force_keys.cpp
TableDescription spring();
TableDescription end();
TableDescription bushing();
TableDescription cable();
TableDescription through();
TableDescription rope();
TableDescription rope_through();
TableDescription load();

// drive_keys.cpp
TableDescription actuator();
TableDescription sensor();
TableDescription controller();
TableDescription formula_table();

// joint_keys.cpp
TableDescription joint();
TableDescription clearance();
TableDescription backlash();
TableDescription limits();
TableDescription joint_friction();
TableDescription coupler();
TableDescription coupler_backlash();

// material_keys.cpp
TableDescription material();
TableDescription material_pair();
TableDescription exclude();
TableDescription watch();

// contact_keys.cpp
TableDescription contact();
TableDescription point();
TableDescription sphere();
TableDescription face();
TableDescription shaft();
TableDescription bore();
TableDescription groove();

// contact_law_keys.cpp
KeyDescription recover_key();
KeyDescription solid_compliance_key();
KeyDescription solid_recover_key();
KeyDescription compliance_key();
/// The keys of a surface law, at the end of those of a table.
TableDescription with_law(TableDescription table);
TableDescription recover();
TableDescription solid_recover();
TableDescription compliance();
TableDescription solid_compliance();

// bearing_keys.cpp
TableDescription bearing();
TableDescription cage();

// integrator_keys.cpp
TableDescription integrator();

// event_keys.cpp
TableDescription event();
TableDescription stop();

// output_keys.cpp
TableDescription output();
TableDescription verify();

}  // namespace clatter::keys
