#include <algorithm>
#include <cmath>
#include <zlib.h>

#include <clatter/model/error.hpp>
#include <clatter/view/page_stream.hpp>

namespace clatter {

std::string compressed(const std::string& text) {
  z_stream stream{};
  constexpr int gzip = 15 + 16;
  if (deflateInit2(&stream, 6, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("zlib cannot compress");
  }
  std::string result;
  std::vector<char> buffer(std::size_t{1} << 18);
  std::size_t taken = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0 && taken < text.size()) {
      const std::size_t part = std::min<std::size_t>(text.size() - taken, 1u << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + taken));
      stream.avail_in = static_cast<uInt>(part);
      taken += part;
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    status = deflate(&stream, taken == text.size() ? Z_FINISH : Z_NO_FLUSH);
    result.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw Error("zlib cannot compress");
  return result;
}

std::string packed_page(const nlohmann::json& description, const std::string& streams) {
  const std::string text =
      description.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  Bytes head;
  head.put(static_cast<std::uint32_t>(text.size()));
  std::string all = head.text() + text;
  while (all.size() % 8 != 0) all += ' ';
  return "CLATTER1" + compressed(all + streams);
}

}  // namespace clatter
