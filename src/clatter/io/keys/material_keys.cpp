#include <clatter/io/keys/key_tables.hpp>

namespace clatter::keys {

TableDescription material() {
  return with_law({"material",
                   "[[material]]",
                   "",
                   "material",
                   {
                       {"name",
                        {},
                        text,
                        "",
                        required,
                        "Unique among the materials; shapes and pairs name it."},
                       {"youngs_modulus",
                        {},
                        number,
                        "Pa",
                        "none",
                        "Modulus of elasticity, for forces and stresses of impacts.",
                        positive},
                       {"poisson_ratio",
                        {},
                        number,
                        "",
                        "0.3",
                        "Goes with `youngs_modulus`.",
                        ranges::poisson_ratio},
                       {"strength",
                        {},
                        number,
                        "Pa",
                        "none",
                        "Yield stress, to be told of impacts that leave a mark; goes with "
                        "`youngs_modulus`.",
                        positive},
                       solid_recover_key(),
                       solid_compliance_key(),
                   }});
}

TableDescription material_pair() {
  return with_law(
      {"material_pair",
       "[[material_pair]]",
       "",
       "material pair",
       {
           {"materials", {}, texts, "", required, "Names of two materials, or twice the same."},
           solid_recover_key(),
           solid_compliance_key(),
       }});
}

TableDescription exclude() {
  return {
      "exclude",
      "[[exclude]]",
      "",
      "exclude",
      {
          {"bodies", {}, texts, "", required, "Names of two bodies or beams, or `ground` and one."},
      }};
}

TableDescription watch() {
  return {"watch",
          "[[watch]]",
          "",
          "watch",
          {
              {"bodies",
               {},
               texts,
               "",
               required,
               "Two names of bodies or beams, or `ground`; `*` stands for any letters."},
          }};
}

}  // namespace clatter::keys
