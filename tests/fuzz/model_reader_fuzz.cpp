// Whatever bytes a file holds, the reader gives either a model with sound numbers or an Error whose
// mistakes all have a place. Text after a zero byte is taken as overrides, one per zero byte.
//
//   model_reader_fuzz -max_len=4096 -dict=tests/fuzz/model_reader_fuzz.dict corpus
//   tests/broken-models

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <clatter/io/model_reader.hpp>
#include <clatter/model/beam_mesh.hpp>

namespace {

using namespace clatter;

void require(bool condition) {
  if (!condition) std::abort();
}

bool is_rotation(const Mat3& m) {
  // Round-off of building a frame from three unit vectors.
  return (m.transpose() * m).isIdentity(1e-9) && m.determinant() > 0.0;
}

void check(const BeamSpec& beam) {
  const BeamSection& s = beam.section;
  require(beam.youngs_modulus > 0.0 && beam.shear_modulus > 0.0 && beam.density > 0.0);
  require(s.area > 0.0 && s.I_z > 0.0 && s.shear_y > 0.0);
  require(beam.planar || (s.I_y > 0.0 && s.J > 0.0 && s.shear_z > 0.0));
  require(std::isfinite(beam.mass_damping) && std::isfinite(beam.stiffness_damping));
  for (const Expression& component : beam.line_force) component(0.5);
  for (const Expression& component : beam.line_torque) component(0.5);
  const BeamMesh mesh = mesh_of(beam);
  require(mesh.elements.size() == static_cast<std::size_t>(beam.elements));
  require(mesh.nodes.size() == mesh.elements.size() + 1);
  for (const BeamMesh::Node& node : mesh.nodes) {
    require(node.position.allFinite() && is_rotation(node.orientation));
  }
  for (const BeamMesh::Element& element : mesh.elements) {
    require(element.length > 0.0 && is_rotation(element.frame_a) && is_rotation(element.frame_b));
  }
}

void check(const Model& model) {
  require(!model.bodies.empty() || !model.beams.empty());
  for (const BeamSpec& beam : model.beams) check(beam);
  for (const BodySpec& body : model.bodies) {
    require(body.mass > 0.0 && body.inertia.allFinite() && body.position.allFinite());
    require(is_rotation(body.orientation.toRotationMatrix()));
    require(body.kind == BodyKind::point || body.inertia(2, 2) > 0.0);
  }
  for (const SpringSpec& spring : model.springs) require(spring.axis.allFinite());
  for (const JointSpec& joint : model.joints) {
    require(joint.a.point.allFinite() && joint.b.point.allFinite());
    require(is_rotation(joint.axes_a) && is_rotation(joint.axes_b));
    if (joint.motor) (*joint.motor)(0.5);
  }
  for (const LoadSpec& load : model.loads) {
    for (const Expression& component : load.force) component(0.5);
    for (const Expression& component : load.torque) component(0.5);
  }
  for (const ContactSpec& contact : model.contacts) {
    require(std::abs(contact.direction.norm() - 1.0) < 1e-12);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> parts;
  for (std::size_t end = rest.find('\0'); end != std::string_view::npos; end = rest.find('\0')) {
    parts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  parts.emplace_back(rest);
  const std::string text = parts.front();
  parts.erase(parts.begin());
  try {
    check(parse_model(text, "fuzz.toml", parts));
  } catch (const Error& error) {
    require(!error.mistakes().empty());
    for (const Mistake& mistake : error.mistakes()) {
      const bool in_file = mistake.place.file == "fuzz.toml" && mistake.place.line > 0;
      require(in_file || mistake.place.file.starts_with("override "));
      require(!mistake.message.empty());
    }
  }
  return 0;
}
