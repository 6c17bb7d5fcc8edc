#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <unistd.h>

#include <clatter/io/base64.hpp>
#include <clatter/io/output_stream.hpp>
#include <clatter/model/error.hpp>
#include <clatter/view/page_data.hpp>

#include "app/browser.hpp"
#include "app/command.hpp"
#include "app/console.hpp"
#include "app/page.hpp"

namespace clatter {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct ReportOptions {
  std::vector<std::string> results;
  fs::path out, png, gif, mp4;
  std::string link;
  std::vector<int> size = {1280, 720};
  std::optional<double> time, seconds;
  int rate = 25;  // frames per second
  bool plain = false;
  PageLimits limits;

  bool wants_pictures() const { return !png.empty() || !gif.empty() || !mp4.empty(); }
};

/// What follows '#' in the address of a page, as it encodes it.
std::string fragment_of(const std::string& link) {
  std::string fragment = link.substr(link.find('#') + 1);
  constexpr std::string_view others = "%-_.!~*'()";
  for (const char each : fragment) {
    if (std::isalnum(static_cast<unsigned char>(each)) == 0 &&
        others.find(each) == std::string_view::npos) {
      throw Error(
          fmt::format("--link: this is no link of a page of results, there is a '{}' in it", each));
    }
  }
  return fragment;
}

/// The bytes of "data:image/png;base64,...".
std::string bytes_of(const Json& picture) {
  if (!picture.is_string()) throw Error("there is nothing to draw in these results");
  const auto& text = picture.get_ref<const std::string&>();
  return from_base64(std::string_view(text).substr(text.find(',') + 1));
}

/// Pictures of a page in a browser.
class Pictures {
 public:
  Pictures(const ReportOptions& options, const fs::path& page)
      : options_(options), browser_(options.size[0], options.size[1]) {
    browser_.open(page, options.link.empty() ? "" : fragment_of(options.link));
  }

  void write_png() {
    Json what = settings();
    if (options_.time) what["time"] = *options_.time;
    const std::string ending = options_.png.extension().string();
    if (ending == ".webp" || ending == ".jpg") {
      what["type"] = ending == ".webp" ? "image/webp" : "image/jpeg";
      what["quality"] = 0.8;
    }
    replace_file(options_.png, bytes_of(call("picture", what)));
    say("{}: a picture\n", options_.png.string());
  }

  void write_gif() {
    Json what = settings();
    what["rate"] = options_.rate;
    if (options_.seconds) what["seconds"] = *options_.seconds;
    replace_file(options_.gif, bytes_of(call("gif", what)));
    say("{}: {:.1f} MB\n", options_.gif.string(),
        1e-6 * static_cast<double>(fs::file_size(options_.gif)));
  }

  /// Frame by frame through ffmpeg.
  void write_mp4() {
    if (std::system("ffmpeg -version >/dev/null 2>&1") != 0) {  // NOLINT(cert-env33-c)
      throw Error(
          "--mp4 needs the program ffmpeg, which is not installed (Debian package ffmpeg); --gif "
          "needs nothing besides Chromium");
    }
    Json what = settings();
    what["rate"] = options_.rate;
    if (options_.seconds) what["seconds"] = *options_.seconds;
    const Json times = call("times", what);
    const std::string command = fmt::format(
        "ffmpeg -loglevel error -y -f image2pipe -framerate {} -i - -c:v libx264 -pix_fmt yuv420p "
        "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -movflags +faststart \"$CLATTER_FILM\"",
        options_.rate);
    ::setenv("CLATTER_FILM", fs::absolute(options_.mp4).c_str(), 1);
    std::signal(SIGPIPE, SIG_IGN);
    std::FILE* film = ::popen(command.c_str(), "w");  // NOLINT(cert-env33-c)
    if (film == nullptr) throw Error("ffmpeg cannot be started");
    bool fine = true;
    for (const Json& time : times) {
      what["time"] = time;
      const std::string bytes = bytes_of(call("picture", what));
      fine = fine && std::fwrite(bytes.data(), 1, bytes.size(), film) == bytes.size();
    }
    if (::pclose(film) != 0 || !fine) {
      throw Error(fmt::format("{}: ffmpeg could not write it", options_.mp4.string()));
    }
    say("{}: {} frames\n", options_.mp4.string(), times.size());
  }

 private:
  Json settings() const {
    return {{"width", options_.size[0]}, {"height", options_.size[1]}, {"plain", options_.plain}};
  }
  Json call(const char* what, const Json& settings) {
    return browser_.evaluate(fmt::format("window.clatter.{}({})", what, settings.dump()));
  }

  const ReportOptions& options_;
  Browser browser_;
};

/// A page that is only needed for pictures.
class PassingFile {
 public:
  PassingFile() {
    std::string name = (fs::temp_directory_path() / "clatter-page-XXXXXX.html").string();
    const int file = ::mkstemps(name.data(), 5);
    if (file < 0) throw Error(name + ": cannot write this file");
    ::close(file);
    path = name;
  }
  PassingFile(const PassingFile&) = delete;
  PassingFile& operator=(const PassingFile&) = delete;
  PassingFile(PassingFile&&) = delete;
  PassingFile& operator=(PassingFile&&) = delete;
  ~PassingFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }

  fs::path path;
};

int report_results(const ReportOptions& options) {
  std::string link;
  if (!options.link.empty()) {
    link = fmt::format("<meta name=\"link\" content=\"{}\">\n", fragment_of(options.link));
  }
  const std::string text = page_of(options.results, options.limits, link);
  std::optional<PassingFile> passing;
  fs::path out = options.out;
  if (out.empty() && options.wants_pictures()) out = passing.emplace().path;
  if (out.empty()) out = fs::path(options.results[0]).stem().string() + ".html";
  replace_file(out, text);
  if (!passing) {
    say("{}: {:.1f} MB, opens in a browser without network\n", out.string(),
        1e-6 * static_cast<double>(text.size()));
  }
  if (!options.wants_pictures()) return exit_fine;
  Pictures pictures(options, out);
  if (!options.png.empty()) pictures.write_png();
  if (!options.gif.empty()) pictures.write_gif();
  if (!options.mp4.empty()) pictures.write_mp4();
  return exit_fine;
}

}  // namespace

Action add_report_command(CLI::App& command) {
  const auto options = std::make_shared<ReportOptions>();
  command.add_option("RESULT", options->results, "Result directories of runs, or of modes")
      ->required()
      ->type_name("");
  command.add_option("-o,--out", options->out, "The page [<result>.html]")->type_name("FILE");
  command.add_option("--frames", options->limits.frames, "At most so many in the animation [600]")
      ->check(CLI::Range(1, 100000))
      ->type_name("N");
  command.add_option("--samples", options->limits.samples, "At most so many in plots [4000]")
      ->check(CLI::Range(2, 10000000))
      ->type_name("N");
  command
      .add_option("--link", options->link,
                  "The view that the page's button Link gives: camera, time, plots")
      ->type_name("TEXT");
  command
      .add_option("--png", options->png,
                  "Write a picture of the scene, by its ending PNG, JPEG or WebP (needs Chromium)")
      ->type_name("FILE");
  command.add_option("--gif", options->gif, "Write the animation (needs Chromium)")
      ->type_name("FILE");
  command.add_option("--mp4", options->mp4, "Write a film (needs Chromium and ffmpeg)")
      ->type_name("FILE");
  command.add_option("--time", options->time, "Of the picture [s, or number of a mode]")
      ->type_name("TIME");
  command.add_option("--size", options->size, "Of pictures in pixels [1280 720]")
      ->expected(2)
      ->check(CLI::Range(16, 8192))
      ->type_name("");
  command.add_option("--rate", options->rate, "Pictures of a film in a second [25]")
      ->check(CLI::Range(1, 100))
      ->type_name("N");
  command.add_option("--seconds", options->seconds, "How long a film is [about 8, or real time]")
      ->check(CLI::Range(0.1, 3600.0))
      ->type_name("S");
  command.add_flag("--plain", options->plain, "Pictures without the time in a corner");
  command.footer(
      "Writes one file with animation, plots and summary, to be opened in any browser or sent by\n"
      "mail; it needs no network. Several runs are shown over each other. With --png, --gif or\n"
      "--mp4 the page is written only if -o asks for it.\n\n"
      "Examples:\n"
      "  clatter report block.clatter\n"
      "  clatter report coarse.clatter fine.clatter -o both.html\n"
      "  clatter report block.clatter --png block.png --time 0.5 --size 800 600\n"
      "  clatter report beam.modes.clatter --gif modes.gif");
  return [options] { return report_results(*options); };
}

}  // namespace clatter
