// SPDX-License-Identifier: MIT
#include "compare/report/json_writer.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/test_seed.h"

namespace foxhunt {
namespace {

using nlohmann::json;

template <class T>
std::string written(const T& value) {
  std::string out;
  JsonWriter(out).value(value);
  return out;
}

TEST(JsonWriter, WritesNestedDocumentsThatParse) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.member("a", std::uint64_t{1});
  writer.key("list");
  writer.begin_array(JsonWriter::Layout::one_line);
  writer.value("x");
  writer.begin_object();
  writer.end();
  writer.null();
  writer.end();
  writer.key("empty");
  writer.begin_array();
  writer.end();
  writer.member("b", true);
  writer.end();
  EXPECT_EQ(json::parse(out), json({{"a", 1},
                                    {"list", {"x", json::object(), nullptr}},
                                    {"empty", json::array()},
                                    {"b", true}}));
  EXPECT_NE(out.find("[\"x\", {}, null]"), std::string::npos) << out;
}

TEST(JsonWriter, KeepsSixtyFourBitsExact) {
  EXPECT_EQ(written(~std::uint64_t{0}), "18446744073709551615");
}

TEST(JsonWriter, WritesDoublesThatReadBackExactly) {
  auto rng = test::test_rng(1);
  for (int i = 0; i < 10'000; ++i) {
    const double value = std::bit_cast<double>(rng());
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(json::parse(written(value)).get<double>(), value) << written(value);
  }
  EXPECT_EQ(written(-0.0), "-0.0");
}

TEST(JsonWriter, WritesNullForWhatJsonCannotHold) {
  EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(written(std::optional<bool>()), "null");
}

TEST(JsonWriter, EscapesControlCharactersAndQuotes) {
  const std::string text("a\"\\\n\t\x01\x7f\0z", 9);
  EXPECT_EQ(json::parse(written(text)).get<std::string>(), text);
}

TEST(JsonWriter, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(written("\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x8a"),
            "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\xa6\x8a\"");
  // Stray, cut, overlong, a surrogate, past U+10FFFF.
  for (const std::string bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                                "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xff"}) {
    const std::string out = written(bad);
    EXPECT_TRUE(json::accept(out)) << out;
    EXPECT_NE(out.find("\xef\xbf\xbd"), std::string::npos);
  }
}

TEST(JsonWriter, GivesValidTextForAnyBytes) {
  auto rng = test::test_rng(2);
  for (int i = 0; i < 2'000; ++i) {
    std::string text(rng() % 20, '\0');
    for (char& c : text) c = static_cast<char>(rng());
    EXPECT_TRUE(json::accept(written(text)));
  }
}

}  // namespace
}  // namespace foxhunt
