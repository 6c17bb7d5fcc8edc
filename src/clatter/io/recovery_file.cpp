#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <clatter/io/csv_file.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/io/recovery_file.hpp>

namespace clatter {
namespace {

ContactHistory read_history(const Hdf5Reader& results, const ContactRecovery& recovery) {
  ContactHistory history;
  history.time = results.numbers("/time");
  const std::string path = "/" + recovery.path() + "/";
  std::size_t rows = history.time.size();
  for (const HistoryChannel& channel : history_channels) {
    if (results.has(path + channel.name)) {
      history.*channel.values = results.numbers(path + channel.name);
      rows = std::min(rows, (history.*channel.values).size());
    } else if (!channel.is_optional) {
      results.fail(
          fmt::format("this run has not stored '{}' of '{}': run the model again with 'recover' "
                      "there",
                      channel.name, recovery.contact));
    }
  }
  // A run that was killed may have left some channels with a row more than others.
  history.time.resize(rows);
  for (const HistoryChannel& channel : history_channels) {
    std::vector<double>& values = history.*channel.values;
    if (!values.empty()) values.resize(rows);
  }
  return history;
}

std::string column_name(const ImpactFigure& figure) {
  return *figure.unit == '\0' ? figure.name : fmt::format("{} [{}]", figure.name, figure.unit);
}

}  // namespace

std::size_t RecoveredRun::without_force() const {
  std::size_t sum = 0;
  for (const ContactForces& each : contacts) {
    sum += static_cast<std::size_t>(
        std::count_if(each.impacts.begin(), each.impacts.end(),
                      [](const ContactImpact& impact) { return !impact.settings; }));
  }
  return sum;
}

std::size_t RecoveredRun::impacts() const {
  return std::accumulate(
      contacts.begin(), contacts.end(), std::size_t{0},
      [](std::size_t sum, const ContactForces& each) { return sum + each.impacts.size(); });
}

std::vector<std::string> notes_on(const RecoveredRun& run) {
  std::vector<std::string> notes;
  if (const std::size_t count = run.without_force(); count > 0) {
    notes.push_back(
        fmt::format("{} impacts of solids with an edge or a flat face have no force by Hertz's "
                    "theory; give 'stiffness' in 'recover' of their materials",
                    count));
  }
  double worst = 0.0, when = 0.0;
  std::string where;
  for (std::size_t c = 0; c < run.contacts.size(); ++c) {
    const std::vector<ImpactStress>& stresses = run.contacts[c].stress;
    for (std::size_t k = 0; k < stresses.size(); ++k) {
      const double of_strength = stresses[k].of_strength.value_or(0.0);
      if (!(of_strength > worst)) continue;
      worst = of_strength;
      when = run.time[k];
      where = run.recoveries[c].contact;
    }
  }
  if (worst > 1.0) {
    notes.push_back(
        fmt::format("the von Mises stress of '{}' reaches {:.3g} times the strength at {:.6g} s: a "
                    "body yields, and laws of elastic bodies do not hold",
                    where, worst, when));
  }
  return notes;
}

RecoveredRun recover_run(const Hdf5Reader& results, const Model& model) {
  RecoveredRun run;
  run.recoveries = recoveries_of(model);
  for (const ContactRecovery& recovery : run.recoveries) {
    ContactHistory history = read_history(results, recovery);
    run.contacts.push_back(recover_forces(history, recovery));
    run.time = std::move(history.time);
  }
  return run;
}

void write_impacts(const std::filesystem::path& path, const RecoveredRun& run) {
  OutputStream file(path);
  std::string line = "contact,impact";
  for (const ImpactFigure& figure : impact_figures()) {
    line += fmt::format(",{}", column_name(figure));
  }
  file.write(line + "\n");
  for (std::size_t c = 0; c < run.contacts.size(); ++c) {
    const std::string contact = csv_field(run.recoveries[c].contact);
    const std::vector<ContactImpact>& impacts = run.contacts[c].impacts;
    for (std::size_t i = 0; i < impacts.size(); ++i) {
      line = fmt::format("{},{}", contact, i + 1);
      for (const ImpactFigure& figure : impact_figures()) {
        const double value = figure.value(impacts[i]);
        line += std::isnan(value) ? "," : fmt::format(",{}", value);
      }
      file.write(line + "\n");
    }
  }
  file.close();
}

void write_recovery(const std::filesystem::path& path, const RecoveredRun& run) {
  Hdf5File file(path);
  const auto write = [&](const std::string& name, const std::vector<double>& values,
                         const char* unit) {
    file.write(name, std::span<const double>(values));
    file.set_attribute(name, "unit", std::string(unit));
  };
  write("/time", run.time, "s");
  for (std::size_t c = 0; c < run.contacts.size(); ++c) {
    const ContactForces& forces = run.contacts[c];
    const std::string contact = run.recoveries[c].contact;
    const std::string group = "/" + run.recoveries[c].path();
    write(group + "/recovered_force", forces.force, "N");
    for (const StressFigure& figure : stress_figures) {
      if (!run.recoveries[c].has_stress()) break;
      write(fmt::format("{}/{}", group, figure.name), stress_history(figure, forces), figure.unit);
    }
    for (const ImpactFigure& figure : impact_figures()) {
      std::vector<double> values;
      for (const ContactImpact& impact : forces.impacts) values.push_back(figure.value(impact));
      write(fmt::format("/impacts/{}/{}", contact, figure.name), values, figure.unit);
    }
  }
  file.close();
}

std::vector<ImpactCurve> curves_of(const RecoveredRun& run, const ImpactChoice& choice) {
  std::vector<ImpactCurve> curves;
  std::size_t of_contact = 0;
  bool is_known = false;
  for (std::size_t c = 0; c < run.contacts.size(); ++c) {
    const ContactRecovery& recovery = run.recoveries[c];
    const auto turned =
        turned_quantity(fmt::format("impacts/{}/time", choice.contact.value_or("")));
    const bool is_turned =
        turned && turned->path == fmt::format("impacts/{}/time", recovery.contact);
    if (choice.contact && recovery.contact != *choice.contact && !is_turned) continue;
    is_known = true;
    const std::vector<ContactImpact>& impacts = run.contacts[c].impacts;
    of_contact = std::max(of_contact, impacts.size());
    for (std::size_t i = 0; i < impacts.size(); ++i) {
      if ((choice.impact && i + 1 != *choice.impact) || !impacts[i].settings) continue;
      curves.push_back({recovery.contact, i + 1, impacts[i].time,
                        recover(impacts[i].known, *impacts[i].settings)});
    }
  }
  if (!is_known && choice.contact) {
    throw Error(fmt::format("no contact '{}' of this model has 'recover'", *choice.contact));
  }
  if (curves.empty()) {
    throw Error(choice.impact ? fmt::format("there is no impact {}: there {} {}", *choice.impact,
                                            of_contact == 1 ? "is" : "are", of_contact)
                              : "there are no impacts");
  }
  return curves;
}

void write_curves(const std::filesystem::path& path, const std::vector<ImpactCurve>& curves) {
  OutputStream file(path);
  file.write("contact,impact,time [s],depth [m],rate [m/s],force [N],impulse [N s]\n");
  for (const ImpactCurve& curve : curves) {
    const std::string contact = csv_field(curve.contact);
    for (const CollisionPoint& p : curve.collision.curve) {
      file.write(fmt::format("{},{},{},{},{},{},{}\n", contact, curve.number, curve.time + p.time,
                             p.depth, p.rate, p.force, p.impulse));
    }
  }
  file.close();
}

nlohmann::ordered_json recovery_json(const RecoveredRun& run) {
  const auto sum = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  };
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < run.contacts.size(); ++c) {
    const ContactForces& forces = run.contacts[c];
    const NormalLaw& law = run.recoveries[c].settings.law;
    nlohmann::ordered_json contact = {
        {"contact", run.recoveries[c].contact},
        {"law", to_string(law.kind)},
        {"profile", to_string(run.recoveries[c].settings.shape)},
        {"stiffness", law.stiffness},
        {"exponent", law.exponent},
        {"impulse_of_forces", sum(forces.parts.smooth)},
        {"impulse_of_impacts", sum(forces.parts.free) + sum(forces.parts.on_closed)},
        {"impacts", nlohmann::ordered_json::array()}};
    for (const ContactImpact& impact : forces.impacts) {
      nlohmann::ordered_json entry;
      for (const ImpactFigure& figure : impact_figures()) {
        entry[figure.name] = figure.value(impact);  // null where it is not known
      }
      contact["impacts"].push_back(std::move(entry));
    }
    list.push_back(std::move(contact));
  }
  return list;
}

}  // namespace clatter
