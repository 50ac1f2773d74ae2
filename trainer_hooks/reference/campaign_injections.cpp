// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "trainer_hooks/reference/campaign.h"
#include "trainer_hooks/reference/campaign_pair.h"

namespace foxhunt {
namespace {

constexpr std::uint64_t kPart = 1, kFaultsAReference = 50, kWindow = 3;

using Clock = std::chrono::steady_clock;

// What a verdict says, held against what was done.
struct Score {
  std::uint64_t right = 0, said = 0, done = 0;  // said and done; said; done

  template <class T>
  void add(const std::set<T>& found, const T& truth) {
    right += found.contains(truth);
    said += found.size();
    ++done;
  }
  std::string text() const {
    const auto percent = [](std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    };
    return fmt::format("{:>8.2f} % {:>8.2f} %  ({} of {} said, {} done)", percent(right, said),
                       percent(right, done), right, said, done);
  }
};

struct Fault {
  Injection injection;
  std::string maker;
  MakerKind kind = MakerKind::kernel;
  char group = 'a';
  std::uint32_t occurrence = 0;
};

class Injections {
 public:
  Injections(Campaign& campaign, bool bare) : campaign_(campaign), bare_(bare) {
    profile_ = trainer_profile(campaign_options(1, 1).sizes);
    for (std::size_t b = 0; b < profile_.buffers.size(); ++b) {
      if (profile_.buffers[b].launch >= 0) made_.push_back(b);
    }
  }

  void run(std::uint64_t count) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i % kFaultsAReference == 0) start_reference(i / kFaultsAReference);
      one(i);
      campaign_.show("injections", i + 1, count);
    }
    print(count, std::chrono::duration<double>(Clock::now() - start).count());
  }

 private:
  // The run without a fault that the next ones are held against.
  void start_reference(std::uint64_t number) {
    reference_ = {};
    reference_.trainer =
        campaign_options(campaign_.seed + number, 1 + static_cast<int>(number % 2));
    reference_.first = number / 2 % 5;
    reference_.steps = reference_.first + kWindow;
    reference_.schedule_seed = campaign_.draw(kPart, number, 100);
    reference_run_ = campaign_.scratch.fresh("a");
    reference_.record(campaign_.market, reference_run_);
    if (!bare_) return;
    bare_reference_ = campaign_.scratch.fresh("a-bare");
    std::filesystem::copy(reference_run_, bare_reference_);
    make_bare(bare_reference_);
  }

  Fault fault(std::uint64_t i) const {
    const ProfileBuffer& buffer = profile_.buffers[made_[i % made_.size()]];
    const Maker& maker = profile_.makers[static_cast<std::size_t>(
        profile_.launches[static_cast<std::size_t>(buffer.launch)].maker)];
    constexpr int kMagnitudes[] = {1, -1, 2, 16, 300, 5000, -100000, 1 << 20};
    Fault fault;
    fault.maker = maker.name;
    fault.kind = maker.kind;
    fault.group = buffer.group;
    Injection& injection = fault.injection;
    injection.buffer = buffer.name;
    // Every kind at every buffer, in the end.
    injection.kind = static_cast<InjectionKind>((i / made_.size() + 7 * (i % made_.size())) %
                                                injection_kinds().size());
    injection.step = reference_.first + campaign_.draw(kPart, i, 1) % kWindow;
    if (buffer.cadence == Cadence::update) {
      fault.occurrence = static_cast<std::uint32_t>(
          campaign_.draw(kPart, i, 2) % static_cast<std::uint64_t>(reference_.trainer.k_loop));
      injection.update = static_cast<int>(fault.occurrence);
    }
    injection.magnitude = kMagnitudes[campaign_.draw(kPart, i, 3) % std::size(kMagnitudes)];
    injection.seed = campaign_.draw(kPart, i, 4);
    return fault;
  }

  void one(std::uint64_t i) {
    const Fault fault = this->fault(i);
    CampaignRun run = reference_;
    run.injection = fault.injection;
    run.schedule_seed = campaign_.draw(kPart, i, 5);
    const auto directory = campaign_.scratch.fresh("b");
    try {
      const auto start = Clock::now();
      const bool changed = run.record(campaign_.market, directory);
      const auto trained = Clock::now();
      const JudgedPair judged = judge(reference_run_, directory);
      training_ += trained - start;
      comparing_ += Clock::now() - trained;
      if (!changed) {
        ++noops_;
        if (judged.verdict != Verdict::identical) complain("no byte changed", judged, run);
        return;
      }
      score(fault, judged, run);
      if (!bare_) return;
      make_bare(directory);
      score_bare(fault, judge(bare_reference_, directory), run);
    } catch (const std::exception& error) {
      campaign_.miss(fmt::format("injection: {}", error.what()), reference_, run);
    }
  }

  void complain(const char* what, const JudgedPair& judged, const CampaignRun& run) {
    campaign_.miss(fmt::format("{}: {}", what, judged.text()), reference_, run);
  }

  void score(const Fault& fault, const JudgedPair& judged, const CampaignRun& run) {
    std::set<std::uint64_t> steps;
    std::set<char> groups;
    std::set<std::string> buffers, kernels;
    // Copies and views cannot invent bits; that their source is equal is proven all the same.
    const Claim claim = fault.kind == MakerKind::host ? Claim::external : Claim::proven;
    bool right =
        judged.verdict == Verdict::diverged && judged.first && judged.first->origins.size() == 1;
    if (judged.first) {
      steps.insert(judged.first->step);
      for (const Origin& origin : judged.first->origins) {
        groups.insert(origin.group);
        buffers.insert(origin.buffer);
        kernels.insert(origin.kernel);
        right &= origin.claim == claim && origin.occurrence == fault.occurrence;
      }
    }
    step_.add(steps, fault.injection.step);
    group_.add(groups, fault.group);
    buffer_.add(buffers, fault.injection.buffer);
    kernel_.add(kernels, fault.maker);
    right &= steps.contains(fault.injection.step) && buffers.contains(fault.injection.buffer) &&
             kernels.contains(fault.maker);
    right_ += right;
    if (!right) complain("injection", judged, run);
  }

  void score_bare(const Fault& fault, const JudgedPair& judged, const CampaignRun& run) {
    if (!judged.first) {
      ++bare_unseen_;
      return;
    }
    bool named = false, listed = false;
    for (const Origin& origin : judged.first->origins) {
      const bool it = origin.buffer == fault.injection.buffer &&
                      origin.occurrence == fault.occurrence &&
                      judged.first->step == fault.injection.step;
      named |= it;
      if (origin.claim == Claim::proven && !it) complain("wrongly proven, bare", judged, run);
      listed |= std::any_of(origin.undumped_inputs.begin(), origin.undumped_inputs.end(),
                            [&](const std::string& name) {
                              return name.substr(0, name.find('[')) == fault.injection.buffer;
                            });
    }
    (named ? bare_named_ : listed ? bare_listed_ : bare_other_) += 1;
  }

  void print(std::uint64_t count, double seconds) const {
    const auto ms = [&](Clock::duration time) {
      return std::chrono::duration<double, std::milli>(time).count() / static_cast<double>(count);
    };
    fmt::print(
        "injections: {} over {} buffers, {} kinds; {} changed no byte, {} of {} answered "
        "exactly\n",
        count, made_.size(), injection_kinds().size(), noops_, right_, step_.done);
    fmt::print("            precision     recall\n");
    fmt::print("  step     {}\n  group    {}\n  buffer   {}\n  kernel   {}\n", step_.text(),
               group_.text(), buffer_.text(), kernel_.text());
    fmt::print("  each: training {:.1f} ms, comparing {:.1f} ms; {:.0f} s in all\n", ms(training_),
               ms(comparing_), seconds);
    if (!bare_) return;
    fmt::print(
        "bare g to k: buffer named {}, listed as a suspect {}, other {}, not to be seen "
        "{}\n",
        bare_named_, bare_listed_, bare_other_, bare_unseen_);
  }

  Campaign& campaign_;
  const bool bare_;
  Profile profile_;
  std::vector<std::size_t> made_;  // buffers that a launch makes
  CampaignRun reference_;
  std::filesystem::path reference_run_, bare_reference_;

  Score step_, group_, buffer_, kernel_;
  std::uint64_t right_ = 0, noops_ = 0;
  std::uint64_t bare_named_ = 0, bare_listed_ = 0, bare_other_ = 0, bare_unseen_ = 0;
  Clock::duration training_{}, comparing_{};
};

}  // namespace

void run_injections(Campaign& campaign, std::uint64_t count, bool bare) {
  Injections(campaign, bare).run(count);
}

}  // namespace foxhunt
