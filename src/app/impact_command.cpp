#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include <clatter/contact/law/hertz.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/model/error.hpp>
#include <clatter/recovery/recovered_impact.hpp>

#include "app/command.hpp"
#include "app/console.hpp"

namespace clatter {
namespace {

struct ImpactOptions {
  std::vector<std::string> laws;
  std::vector<double> masses, radii, moduli, poissons;
  double speed = 0.0, restitution = 1.0, exponent = 1.5;
  std::optional<double> stiffness, strength;
  std::string curve;
  bool json = false;
};

double second_of(const std::vector<double>& values) {
  return values.size() > 1 ? values[1] : values[0];
}

double curvature_of(double radius) { return radius == 0.0 ? 0.0 : 1.0 / radius; }

/// Of two spheres, a sphere and a plane or a sphere in a hollow one.
std::optional<HertzContact> contact_of(const ImpactOptions& options) {
  if (options.radii.empty()) return std::nullopt;
  if (options.moduli.empty()) throw Error("--radius needs --modulus as well");
  const double first = curvature_of(options.radii[0]),
               second = options.radii.size() > 1 ? curvature_of(options.radii[1]) : 0.0;
  if (!(first + second > 0.0)) {
    throw Error(
        "--radius: these surfaces touch all over; a hollow one (negative) must have the larger "
        "radius");
  }
  const std::vector<double> poissons =
      options.poissons.empty() ? std::vector<double>{0.3} : options.poissons;
  return HertzContact({options.moduli[0], poissons[0]},
                      {second_of(options.moduli), second_of(poissons)},
                      RelativeCurvature::of({first, first}, {second, second}, 0.0));
}

double reduced_mass(const std::vector<double>& masses) {
  return masses.size() == 1 ? masses[0] : masses[0] * masses[1] / (masses[0] + masses[1]);
}

struct Impact {
  NormalLawKind kind;
  Collision collision, bent;
};

nlohmann::json to_json(const Collision& c) {
  return {{"peak", c.peak},       {"duration", c.duration},
          {"depth", c.depth},     {"restitution", c.restitution},
          {"impulse", c.impulse}, {"energy_lost", c.energy_lost}};
}

void write_curve(const std::string& path, const Collision& collision) {
  OutputStream file(path);
  file.write("time [s],depth [m],rate [m/s],force [N],impulse [N s]\n");
  for (const CollisionPoint& p : collision.curve) {
    file.write(fmt::format("{},{},{},{},{}\n", p.time, p.depth, p.rate, p.force, p.impulse));
  }
  file.close();
}

void print_table(const std::vector<Impact>& impacts) {
  std::vector<std::vector<std::string>> lines = {{"law", "peak [N]", "lasts [s]", "depth [m]",
                                                  "restitution", "impulse [N s]", "lost [J]",
                                                  "bent: peak [N]", "lasts [s]"}};
  for (const Impact& impact : impacts) {
    const Collision& c = impact.collision;
    lines.push_back({std::string(to_string(impact.kind)), format_number(c.peak),
                     format_number(c.duration), format_number(c.depth),
                     format_number(c.restitution), format_number(c.impulse),
                     format_number(c.energy_lost), format_number(impact.bent.peak),
                     format_number(impact.bent.duration)});
  }
  print_text(align(lines));
}

void print_stress(const HertzContact& contact, const Impact& impact, double poisson,
                  const std::optional<double>& strength) {
  const double force = impact.collision.peak;
  const ContactStress stress = contact.stress(force, poisson);
  const double radius = contact.minor_axis(force);
  say("\nAt the largest force by {}, {} N:\n", to_string(impact.kind), format_number(force));
  print_text(align({{"radius of the contact", format_number(radius), "m", ""},
                    {"pressure in the middle", format_number(stress.pressure), "Pa", ""},
                    {"largest shear stress", format_number(stress.shear.shear()), "Pa",
                     fmt::format("{} m below", format_number(stress.shear.depth))},
                    {"octahedral shear stress", format_number(stress.octahedral.octahedral()), "Pa",
                     fmt::format("{} m below", format_number(stress.octahedral.depth))},
                    {"von Mises stress", format_number(stress.von_mises.von_mises()), "Pa",
                     fmt::format("{} m below", format_number(stress.von_mises.depth))}},
                   {0, 2, 3}));
  if (strength && stress.von_mises.von_mises() > *strength) {
    say("The von Mises stress is {} times the strength: the body yields, and laws of elastic "
        "bodies "
        "do not hold.\n",
        format_number(stress.von_mises.von_mises() / *strength));
  }
}

int study_impact(const ImpactOptions& options) {
  const std::optional<HertzContact> contact = contact_of(options);
  if (contact && options.stiffness) throw Error("give --stiffness or --radius, not both");
  if (!contact && !options.stiffness) throw Error("give --stiffness, or --radius and --modulus");
  if (!options.curve.empty() && options.laws.size() != 1) {
    throw Error("--curve needs just one --law");
  }
  std::vector<NormalLawKind> kinds;
  for (const std::string& name : options.laws) kinds.push_back(normal_law_of(name).value());
  if (kinds.empty()) {
    for (const std::string_view name : normal_law_names) {
      kinds.push_back(normal_law_of(name).value());
    }
  }
  std::vector<Impact> impacts;
  const double mass = reduced_mass(options.masses);
  for (const NormalLawKind kind : kinds) {
    const double e = has_damping(kind) ? options.restitution : 1.0;
    const NormalLaw law{kind, contact ? contact->stiffness() : *options.stiffness,
                        contact ? 1.5 : options.exponent, e};
    const ImpactOfRun known{(1.0 + e) * mass * options.speed, options.speed, e};
    impacts.push_back(
        {kind, collide(law, mass, options.speed), recover(known, {law, ImpactShape::bent})});
  }
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Impact& impact : impacts) {
      nlohmann::json entry = to_json(impact.collision);
      entry["law"] = to_string(impact.kind);
      entry["bent"] = to_json(impact.bent);
      list.push_back(entry);
    }
    say("{}\n", list.dump(2));
  } else {
    print_table(impacts);
    if (contact) {
      const double poisson = options.poissons.empty() ? 0.3 : options.poissons[0];
      print_stress(*contact, impacts.back(), poisson, options.strength);
    }
  }
  if (!options.curve.empty()) write_curve(options.curve, impacts[0].collision);
  return exit_fine;
}

}  // namespace

Action add_impact_command(CLI::App& command) {
  const auto options = std::make_shared<ImpactOptions>();
  command.add_option("--mass", options->masses, "Reduced mass, or the masses of both bodies [kg]")
      ->required()
      ->expected(1, 2)
      ->check(CLI::PositiveNumber)
      ->type_name("M [M]");
  command.add_option("--speed", options->speed, "At which they meet [m/s]")
      ->required()
      ->check(CLI::PositiveNumber)
      ->type_name("V");
  command.add_option("--restitution", options->restitution, "That the damping is made for [1]")
      ->check(CLI::Range(least_restitution, 1.0))
      ->type_name("E");
  command.add_option("--law", options->laws, "Force law, may be given several times [all]")
      ->allow_extra_args(false)
      ->check(
          CLI::IsMember(std::vector<std::string>(normal_law_names.begin(), normal_law_names.end())))
      ->type_name("NAME");
  command.add_option("--stiffness", options->stiffness, "K of F = K depth^n")
      ->check(CLI::PositiveNumber)
      ->type_name("K");
  command
      .add_option("--exponent", options->exponent,
                  "n, with --stiffness; 1 of hooke and kelvin-voigt [1.5]")
      ->check(CLI::Range(1.0, 4.0))
      ->type_name("N");
  command
      .add_option("--radius", options->radii,
                  "Of both spheres [m]: 0 or none for a plane, negative for a hollow one")
      ->expected(1, 2)
      ->type_name("R [R]");
  command.add_option("--modulus", options->moduli, "Young's modulus of both bodies [Pa]")
      ->expected(1, 2)
      ->check(CLI::PositiveNumber)
      ->type_name("E [E]");
  command.add_option("--poisson", options->poissons, "Poisson's ratio of both bodies [0.3]")
      ->expected(1, 2)
      ->check(CLI::Range(0.0, 0.5))
      ->type_name("NU [NU]");
  command
      .add_option("--strength", options->strength, "Yield strength [Pa], to be told of yielding")
      ->check(CLI::PositiveNumber)
      ->type_name("S");
  command.add_option("--curve", options->curve, "Write time, depth, rate and force (CSV)")
      ->type_name("FILE");
  command.add_flag("--json", options->json, "Print JSON instead of a table");
  command.footer(
      "Integrates one impact of two bodies under continuous laws of the normal force: largest\n"
      "force, duration, depth and the restitution that comes out, beside what the bent profile\n"
      "recovers from the impulse alone. With radii and moduli also the stresses (Hertz).\n\n"
      "Examples:\n"
      "  clatter impact --mass 1 --speed 4.4 --stiffness 1.4e8 --restitution 0.6\n"
      "  clatter impact --mass 0.1 0.1 --speed 0.3 --radius 0.02 0.02 --modulus 2.1e11 --law exact "
      "--restitution 0.9 --curve impact.csv");
  return [options] { return study_impact(*options); };
}

}  // namespace clatter
