#include <clatter/io/keys/key_tables.hpp>

namespace clatter::keys {

TableDescription integrator() {
  const IntegratorSpec i;
  return {
      "integrator",
      "[integrator]",
      "",
      "integrator",
      {
          {"name",
           {},
           word,
           "",
           literal(std::string(to_string(i.kind))),
           "`nsga`: decoupled nonsmooth generalized-alpha method. `nsga_coupled`: positions, "
           "velocities and accelerations in one system, with forces and impulses apart. `moreau`: "
           "Moreau-Jean method, of first order. `generalized_alpha` and `newmark`: the smooth "
           "motion "
           "alone, of contacts with `compliance`, or without contacts. `energy_consistent`: "
           "midpoint rule in which each contact with `compliance` gives back what its spring takes "
           "within the step (ACEM, with friction ADfr), for bodies that nothing else "
           "ties. `verlet`: explicit, in substeps, for crowds of spheres or discs with "
           "`compliance`.",
           any,
           {integrator_names.begin(), integrator_names.end()}},
          {"step", {}, number, "s", required, "Time step.", positive},
          {"duration", {}, number, "s", required, "Time at which the run ends.", positive},
          {"rho_inf",
           {},
           number,
           "",
           literal(i.rho_inf),
           "Spectral radius at infinite frequency: 1 keeps all vibrations, 0 kills the fast ones. "
           "Of `nsga`, `nsga_coupled` and `generalized_alpha`.",
           ranges::rho_inf},
          {"gamma",
           {},
           number,
           "",
           literal(i.gamma),
           "Of `newmark`: weight of the end of the step in velocities; more than 0.5 damps.",
           ranges::newmark_gamma},
          {"beta",
           {},
           number,
           "",
           literal(i.beta),
           "Of `newmark`: half the weight of the end of the step in positions. The trapezoidal "
           "rule "
           "has 0.25 with `gamma = 0.5`; the method is stable for all steps where it is at least "
           "`(gamma + 0.5)^2/4`.",
           ranges::newmark_beta},
          {"variant",
           {},
           word,
           "",
           fmt::format("\"{}\"", to_string(i.variant)),
           "Of `energy_consistent`, to compare it with: `simo-tarnow` leaves the energy in the "
           "springs (for contacts that are linear in the gap also the scheme of Armero and "
           "Petocz), `laursen-chawla` resists the rate of the gap, `laursen-love` ends steps on "
           "the surface.",
           any,
           {conserving_names.begin(), conserving_names.end()}},
          {"closing_factor",
           {},
           number,
           "",
           literal(i.closing_factor),
           "Of `energy_consistent`: `psi_1 + psi_2` times `step*sqrt(stiffness/mass)` of the "
           "larger "
           "mass, over the damping ratio.",
           positive},
          {"largest_depth",
           {},
           number,
           "",
           literal(i.largest_depth),
           "Of `energy_consistent`: steps that press a contact further in than this many radii of "
           "the smaller body are cut in two.",
           positive},
          {"substeps",
           {},
           integer,
           "",
           literal(i.substeps),
           "Of `verlet`: into so many equal parts a step is cut; 0: as many that two bodies touch "
           "for 25 of them.",
           ranges::substeps},
          {"threads",
           {},
           integer,
           "",
           literal(i.threads),
           "Of `verlet`: by how many threads a step is computed; results are the same to the last "
           "bit.",
           ranges::threads},
          {"coefficients",
           {},
           word,
           "",
           "\"chung_hulbert\"",
           "Of `nsga`, `nsga_coupled` and `generalized_alpha`: how their weights follow from "
           "`rho_inf`. "
           "`hht` weights forces alone and needs a `rho_inf` of 0.5 or more, `newmark` nothing and "
           "is "
           "of first order below 1.",
           any,
           {alpha_names.begin(), alpha_names.end()}},
          {"correction_forces",
           {},
           number,
           "",
           literal(i.correction_forces),
           "Only of `nsga`: factor on the forces that the position correction changes; 000 has 1 "
           "and, in "
           "its annexes, 0.5.",
           positive},
          {"theta",
           {},
           number,
           "",
           literal(i.theta),
           "Of `moreau`: weight of the end of the step in forces and positions; 0.5 keeps "
           "vibrations, 1 damps them.",
           ranges::theta},
          {"tolerance",
           {},
           number,
           "",
           literal(i.tolerance),
           "On the relative residual of every subproblem.",
           ranges::tolerance},
          {"max_iterations",
           {},
           integer,
           "",
           literal(i.max_iterations),
           "Newton updates per subproblem.",
           ranges::max_iterations},
          {"max_halvings",
           {},
           integer,
           "",
           literal(i.max_halvings),
           "How often a step that fails is cut in two; more often where solids are fast.",
           ranges::max_halvings},
          {"locate_impacts",
           {},
           flag,
           "",
           literal(i.locate_impacts),
           "Only of `nsga`: `true` cuts a step at each impact with restitution, which dates it to "
           "1e-5 of a step."},
          {"multi_impact",
           {},
           flag,
           "",
           literal(i.multi_impact),
           "Only of `nsga`: contacts that touch each other pass an impact on one after the other, "
           "within the step; else all react at once."},
          {"impact_tolerance",
           {},
           number,
           "m/s",
           "a thousandth of what the forces of a step do",
           "With `multi_impact`: contacts that close more slowly do not strike.",
           not_negative},
          {"max_impacts",
           {},
           integer,
           "",
           literal(i.max_impacts),
           "With `multi_impact`: how many may follow each other in a step.",
           ranges::max_impacts},
          {"position_friction",
           {},
           flag,
           "",
           literal(i.position_friction),
           "Only of `nsga`: `false` leaves friction out at position level, to study the drift."},
          {"position_rolling",
           {},
           flag,
           "",
           literal(i.position_rolling),
           "Only of `nsga`: `false` leaves rolling and drilling friction to the velocity level, as "
           "000 does; what they hold on a slope then creeps."},
          {"islands",
           {},
           flag,
           "",
           literal(i.islands),
           "Of `nsga` and `moreau`: `false` solves for all bodies and contacts at once by one "
           "Newton "
           "method, as the sources do, to study how it converges (`run --trace`); unless it "
           "fails."},
          {"sleep",
           {},
           flag,
           "",
           literal(i.sleep),
           "Of `nsga`, other integrators do without: bodies that have come to rest and that "
           "nothing "
           "but contacts and gravity acts on stay where they are until something comes near; "
           "`false` computes them in every step."},
          {"contact_solver",
           {},
           word,
           "",
           "Newton's method, others where it fails",
           "Of `nsga` and `moreau`, without groups of spheres: how the contacts of every step are "
           "solved; Newton's method then makes sure of the result.",
           any,
           {contact_solver_names.begin(), contact_solver_names.end()}},
          {"scaling",
           {},
           word,
           "",
           "\"delassus\"",
           "How the contact rows are scaled: each by its own, or all by one mass.",
           any,
           {"delassus", "characteristic_mass"}},
          {"characteristic_mass",
           {},
           number,
           "kg",
           "mean mass of the bodies",
           "Only with that scaling.",
           positive},
          {"penalty",
           {},
           number,
           "",
           literal(i.penalty),
           "Augmentation as a multiple of the scaling.",
           positive},
      }};
}

}  // namespace clatter::keys
