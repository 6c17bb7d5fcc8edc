#include <clatter/contact/geometry/joint_contact.hpp>
#include <clatter/io/contact_reader.hpp>
#include <clatter/io/coupler_reader.hpp>
#include <clatter/io/material_reader.hpp>
#include <clatter/model/body_keys.hpp>

namespace clatter {
namespace {

CouplerSpec read_coupler(const TomlTable& table) {
  CouplerSpec coupler;
  coupler.place = table.place();
  coupler.keys = table.key_places();
  coupler.offset = table.number("offset");
  coupler.joints = table.texts("joints").value_or(coupler.joints);
  coupler.ratios = table.numbers("ratios").value_or(coupler.ratios);
  return coupler;
}

void add_stops(const CouplerSpec& coupler, const TomlTable& backlash, double play,
               std::vector<ContactSpec>& contacts) {
  for (const double side : {-1.0, 1.0}) {
    ContactSpec& contact = contacts.emplace_back();
    contact.name = coupler.name + (side < 0.0 ? ".1" : ".2");
    contact.place = coupler.place;
    contact.keys = backlash.key_places();
    contact.geometry = JointContact::geometry;
    contact.of_joints.emplace();
    contact.of_joints->coupler = coupler;
    contact.of_joints->play = play;
    contact.of_joints->side = side;
    contact.of_joints->radius = backlash.number("radius").value_or(1.0);
    read_surface_law(backlash, contact);
    read_force_laws(backlash, contact);
  }
}

/// A clutch, that slips under more than its capacity or turns one way.
bool add_clutch(const CouplerSpec& coupler, const TomlTable& table,
                std::vector<ContactSpec>& contacts) {
  const bool one_way = table.flag("one_way").value_or(false);
  const std::optional<Formula> capacity = table.drive("capacity");
  if (!one_way && !table.has("capacity")) return false;
  if (one_way) table.refuse_together("capacity", "one_way");
  for (const char* key : {"backlash", "offset"}) {
    table.refuse_together(key, one_way ? "one_way" : "capacity");
  }
  ContactSpec& contact = contacts.emplace_back();
  contact.name = coupler.name;
  contact.place = coupler.place;
  contact.keys = coupler.keys;
  contact.geometry = JointContact::geometry;
  contact.of_joints.emplace();
  contact.of_joints->coupler = coupler;
  contact.of_joints->kind =
      one_way ? JointContactSpec::Kind::one_way : JointContactSpec::Kind::clutch;
  if (capacity) contact.of_joints->pressure = *capacity;
  return true;
}

}  // namespace

CouplerReading read_couplers(const std::vector<TomlTable>& tables) {
  CouplerReading reading;
  NameReader names("coupler");
  for (const TomlTable& table : tables) {
    CouplerSpec coupler = read_coupler(table);
    coupler.name = names.read(table);
    if (add_clutch(coupler, table, reading.contacts)) continue;
    const std::optional<TomlTable> backlash = table.table("backlash");
    const double play = backlash ? backlash->number("play").value_or(0.0) : 0.0;
    if (play > 0.0) {
      add_stops(coupler, *backlash, play, reading.contacts);
    } else {
      reading.couplers.push_back(std::move(coupler));
    }
  }
  return reading;
}

}  // namespace clatter
