#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include <assimp/config.h>
#include <assimp/DefaultLogger.hpp>
#include <assimp/Importer.hpp>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <clatter/io/mesh_builder.hpp>
#include <clatter/io/mesh_import.hpp>

namespace clatter {
namespace {

using Complaint = std::optional<std::string>;

/// Keeps the first error that the library tells its log of only, such as a face that it left out.
/// There is one log in a process.
class ErrorLog {
 public:
  ErrorLog() {
    Assimp::DefaultLogger::create("", Assimp::Logger::NORMAL, 0);
    Assimp::DefaultLogger::get()->attachStream(&stream_, Assimp::Logger::Err);
  }
  ~ErrorLog() {
    Assimp::DefaultLogger::get()->detachStream(&stream_, Assimp::Logger::Err);
    Assimp::DefaultLogger::kill();
  }
  ErrorLog(const ErrorLog&) = delete;
  ErrorLog& operator=(const ErrorLog&) = delete;

  const std::string& first() const { return stream_.first; }

 private:
  struct Stream : Assimp::LogStream {
    void write(const char* message) override {
      if (first.empty()) first = message;
    }
    std::string first;
  };
  Stream stream_;
};

/// As the end of a sentence, on one line.
std::string tidied(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

/// The library never comes back from a PLY file whose head has no end.
bool has_ply_head(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  if (!std::getline(stream, line) || !line.starts_with("ply")) return false;
  while (std::getline(stream, line)) {
    if (line.starts_with("end_header")) return true;
  }
  return false;
}

/// Adds the faces of a node and of all below it.
class SceneReader {
 public:
  SceneReader(const aiScene& scene, MeshShape& mesh) : scene_(scene), builder_(mesh) {}

  Complaint add(const aiNode& node, const aiMatrix4x4& above) {
    const aiMatrix4x4 placed = above * node.mTransformation;
    for (unsigned i = 0; i < node.mNumMeshes; ++i) {
      if (Complaint wrong = add(*scene_.mMeshes[node.mMeshes[i]], placed)) return wrong;
    }
    for (unsigned i = 0; i < node.mNumChildren; ++i) {
      if (Complaint wrong = add(*node.mChildren[i], placed)) return wrong;
    }
    return std::nullopt;
  }

 private:
  Complaint add(const aiMesh& part, const aiMatrix4x4& placed) {
    std::vector<int> numbers;
    for (unsigned i = 0; i < part.mNumVertices; ++i) {
      const aiVector3D at = placed * part.mVertices[i];
      const Vec3 point(at.x, at.y, at.z);
      if (!point.allFinite()) return fmt::format("point {} is not three finite numbers", i + 1);
      numbers.push_back(builder_.number_of(point));
    }
    const bool is_mirrored = placed.Determinant() < 0.0f;
    for (unsigned i = 0; i < part.mNumFaces; ++i) {
      const aiFace& face = part.mFaces[i];
      if (face.mNumIndices < 3) {
        return fmt::format("face {} has less than three corners; remove points and lines", i + 1);
      }
      std::vector<int> corners;
      for (unsigned k = 0; k < face.mNumIndices; ++k) {
        if (face.mIndices[k] >= part.mNumVertices) {
          return fmt::format("face {} names a point {} that is not there", i + 1, face.mIndices[k]);
        }
        corners.push_back(numbers[face.mIndices[k]]);
      }
      if (is_mirrored) std::reverse(corners.begin(), corners.end());
      if (!builder_.add_face(corners)) {
        return fmt::format("the sides of face {} cross each other; make it triangles", i + 1);
      }
    }
    return std::nullopt;
  }

  const aiScene& scene_;
  MeshBuilder builder_;
};

}  // namespace

bool can_import(const std::string& extension) {
  constexpr std::array known = {".ply", ".off", ".gltf", ".glb", ".dae", ".3mf"};
  return std::find(known.begin(), known.end(), extension) != known.end();
}

Complaint import_mesh(const std::filesystem::path& path, const std::string& extension,
                      MeshShape& mesh) {
  if (extension == ".ply" && !has_ply_head(path)) {
    return "it cannot be read: it has no head from 'ply' to 'end_header'";
  }
  const ErrorLog log;
  Assimp::Importer importer;
  // Axes as in the file, also where that says which of them is up.
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  const aiScene* scene = importer.ReadFile(path.string(), 0);
  if (scene == nullptr) {
    return fmt::format("it cannot be read: {}", tidied(importer.GetErrorString()));
  }
  if (!log.first().empty()) return fmt::format("it cannot be read: {}", tidied(log.first()));
  if ((scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE) != 0 || scene->mRootNode == nullptr) {
    return "it has no mesh that can be read";
  }
  return SceneReader(*scene, mesh).add(*scene->mRootNode, aiMatrix4x4());
}

}  // namespace clatter
