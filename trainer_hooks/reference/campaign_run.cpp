// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/campaign_run.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>

#include "dump/format/error.h"
#include "trainer_hooks/reference/backend.h"

namespace foxhunt {

TrainerOptions campaign_options(std::uint64_t seed, int k_loop) {
  TrainerOptions options;
  options.seed = seed;
  options.k_loop = k_loop;
  options.sizes.envs = 4;
  options.sizes.batch = 8;
  options.sizes.window = 4;
  options.sizes.width = 16;
  options.sizes.hidden = 16;
  options.sizes.capacity = 64;
  return options;
}

std::string CampaignRun::command(const std::string& name) const {
  const TrainerSizes& s = trainer.sizes;
  std::string text = fmt::format(
      "FOXHUNT_DETERMINISM_DEBUG_BACKWARD=1 FOXHUNT_DETERMINISM_DIR={} "
      "FOXHUNT_DETERMINISM_STEPS={}-{} foxhunt-train --backend {} --steps {} --seed {} --batch {} "
      "--hidden {} --width {} --window {} --envs {} --capacity {} --k-loop {} --schedule-seed {}",
      name, first, steps - 1, backend_name(), steps, trainer.seed, s.batch, s.hidden, s.width,
      s.window, s.envs, s.capacity, trainer.k_loop, schedule_seed);
  if (!trainer.variants.text().empty()) text += " --variant " + trainer.variants.text();
  if (injection) text += " --inject " + injection->text();
  return text;
}

bool CampaignRun::record(const Market& market, const std::filesystem::path& directory) const {
  const auto set = [](const char* name, const std::string& value) {
    if (::setenv(name, value.c_str(), 1) != 0) throw Error(Errc::io, "setting {}", name);
  };
  set("FOXHUNT_DETERMINISM_DEBUG_BACKWARD", "1");
  set("FOXHUNT_DETERMINISM_DIR", directory.string());
  set("FOXHUNT_DETERMINISM_STEPS", fmt::format("{}-{}", first, steps - 1));
  follow_schedule(schedule_seed);

  const Profile profile = trainer_profile(trainer.sizes);
  DumperOptions options;
  options.provenance = {{"backend", backend_name()},
                        {"schedule_seed", std::to_string(schedule_seed)},
                        {"variants", trainer.variants.text()}};
  options.device = make_backend_queue;
  options.message = [](std::string_view) {};  // trouble is thrown below
  std::optional<Error> trouble;
  Dumper dumper = Dumper::from_environment([&] { return profile; }, std::move(options), &trouble);
  if (trouble) throw *trouble;

  IntegratedTrainer integrated(trainer, market, dumper);
  std::optional<Injector> injector;
  if (injection) {
    injector.emplace(*injection, profile, trainer.k_loop);
    integrated.add(*injector);
  }
  for (std::uint64_t n = 0; n < steps; ++n) integrated.step();
  dumper.close();
  if (dumper.trouble()) throw *dumper.trouble();
  return injector && injector->changed().value_or(false);
}

ScratchDirectory::ScratchDirectory(std::filesystem::path parent) {
  if (parent.empty()) {
    const char* const chosen = std::getenv("TMPDIR");
    std::error_code none;
    parent = chosen != nullptr && *chosen != '\0' ? chosen
             : std::filesystem::is_directory("/dev/shm", none)
                 ? std::filesystem::path("/dev/shm")
                 : std::filesystem::temp_directory_path();
  }
  std::string name = std::filesystem::absolute(parent / "foxhunt-campaign-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(Errc::io, "{}: cannot make a directory for runs: {}", name, errno_text(errno));
  }
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchDirectory::fresh(const std::string& name) const {
  std::filesystem::path path = path_ / name;
  std::filesystem::remove_all(path);
  return path;
}

}  // namespace foxhunt
