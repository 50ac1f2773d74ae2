// SPDX-License-Identifier: MIT
#include "trainer_hooks/reference/market.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dump/format/error.h"
#include "tests/support/temporary_directory.h"
#include "tests/trainer_hooks/reference/random_market.h"

namespace foxhunt {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class MarketFile : public testing::Test {
 protected:
  Market load(const std::string& text) {
    test::write_file(path(), text);
    return load_market(path());
  }
  // The error that loading this gives, with the path shortened to "file".
  std::string trouble(const std::string& text, Errc code = Errc::format) {
    try {
      load(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      std::string what = error.what();
      const std::size_t at = what.find(path().string());
      EXPECT_NE(at, std::string::npos) << what;
      return what.replace(at, path().string().size(), "file");
    }
    return "no error";
  }
  std::filesystem::path path() { return directory_ / "prices.csv"; }

  test::TemporaryDirectory directory_;
  const std::string head_ = "t,A,B,C,D\n";
};

TEST_F(MarketFile, OfTheRepositoryIsRead) {
  const Market market = load_market(FOXHUNT_DATA);
  EXPECT_EQ(market.days, 1860);
  EXPECT_EQ(market.names, (std::array<std::string, 4>{"DAX", "SMI", "CAC", "FTSE"}));
  ASSERT_EQ(market.log_returns.size(), 1859u * 4);
  EXPECT_FLOAT_EQ(market.log_return(1, 0), static_cast<float>(std::log(1613.63 / 1628.75)));
  EXPECT_FLOAT_EQ(market.log_return(3, 3), static_cast<float>(std::log(2470.4 / 2448.2)));
  EXPECT_FLOAT_EQ(market.log_return(1859, 1), static_cast<float>(std::log(7676.3 / 7552.6)));
}

TEST_F(MarketFile, GivesTheLogarithmsOfPriceRatios) {
  const std::vector<double> prices = test::random_prices(200, 1);
  const Market market = market_from_prices(prices);
  ASSERT_EQ(market.days, 200);
  for (std::size_t i = 4; i < prices.size(); ++i) {
    const double expected = std::log(prices[i] / prices[i - 4]);
    // log1p is within 1.27 ULP, its argument within half; more than these no price may move.
    ASSERT_NEAR(double{market.log_returns[i - 4]}, expected, 2.5e-7 * std::abs(expected));
  }
}

TEST_F(MarketFile, MayHaveQuotesMoreColumnsAndNoLastLineEnd) {
  const Market market = load("\"t\",\"A\",B,C,\"D\",E\n0,1,2,3,4,x\n1,2,2,3,4");
  EXPECT_EQ(market.days, 2);
  EXPECT_EQ(market.names[3], "D");
  EXPECT_FLOAT_EQ(market.log_return(1, 0), 0.693147182f);
  EXPECT_EQ(market.log_return(1, 3), 0);
}

TEST_F(MarketFile, MayHaveTheLineEndsOfWindows) {
  const Market market = load("t,A,B,C,D\r\n0,1,2,3,4\r\n1,2,2,3,8\r\n");
  EXPECT_EQ(market.names[3], "D");
  EXPECT_FLOAT_EQ(market.log_return(1, 3), 0.693147182f);
}

TEST_F(MarketFile, ThatIsMissingIsNamed) {
  try {
    load_market(directory_ / "nowhere.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::missing);
    EXPECT_THAT(error.what(), AllOf(HasSubstr("nowhere.csv: no such file"), HasSubstr("data/")));
  }
}

TEST_F(MarketFile, ThatIsADirectoryCannotBeRead) {
  try {
    load_market(directory_.path());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::io);
    EXPECT_THAT(error.what(), HasSubstr("cannot be read: Is a directory"));
  }
}

TEST_F(MarketFile, ThatIsDamagedIsRefusedWithFileAndLine) {
  EXPECT_EQ(trouble(""), "file:1: the file is empty");
  EXPECT_EQ(trouble("t,A,B,C\n"),
            "file:1: 4 columns, but a time and 4 prices are expected: 't,A,B,C'");
  EXPECT_EQ(trouble("0,1,2,3,4\n1,1,2,3,4\n"),
            "file:1: '1' is a number, but the first line holds column names");
  EXPECT_EQ(trouble(head_ + "0,1,2,3,4\n1,1,2\n"),
            "file:3: 3 columns, but a time and 4 prices are expected: '1,1,2'");
  EXPECT_EQ(trouble(head_ + "0,1,2,3,4\n\n"),
            "file:3: 1 columns, but a time and 4 prices are expected: ''");
  EXPECT_EQ(trouble(head_ + "0,1,NA,3,4\n"), "file:2: B: 'NA' is not a number");
  EXPECT_EQ(trouble(head_ + "0,1,2,3,\n"), "file:2: D: '' is not a number");
  EXPECT_EQ(trouble(head_ + "0,1,2,3x,4\n"), "file:2: C: '3x' is not a number");
  EXPECT_EQ(trouble(head_ + "0,1,2,3,0\n"),
            "file:2: D: the price is 0, but must be positive and finite");
  EXPECT_EQ(trouble(head_ + "0,1,2,3,4\n1,-1,2,3,4\n"),
            "file:3: A: the price is -1, but must be positive and finite");
  EXPECT_EQ(trouble(head_ + "0,1,inf,3,4\n"),
            "file:2: B: the price is inf, but must be positive and finite");
  EXPECT_EQ(trouble(head_ + "0,1,nan,3,4\n"),
            "file:2: B: the price is nan, but must be positive and finite");
  EXPECT_EQ(trouble(head_ + "0,1,2,3,4\n1,1001,2,3,4\n"),
            "file:3: A: the price goes from 1 to 1001 in a day; is a decimal point misplaced?");
  EXPECT_EQ(trouble(head_ + "0,1,2,3,4\n1,1,2,3,0.003\n"),
            "file:3: D: the price goes from 4 to 0.003 in a day; is a decimal point misplaced?");
  EXPECT_EQ(trouble(head_), "file:1: the file ends after 0 days; a return needs two");
  EXPECT_EQ(trouble(head_ + "0,1,2,3,4\n"),
            "file:2: the file ends after 1 days; a return needs two");
}

TEST_F(MarketFile, IsNotNeededForPricesInMemory) {
  EXPECT_EQ(market_from_prices(std::vector<double>{1, 1, 1, 1, 2, 1, 1, 1}).days, 2);
  const auto trouble_of = [](const std::vector<double>& prices) -> std::string {
    try {
      market_from_prices(prices);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(trouble_of({1, 1, 1, 1}), "4 prices are not 4 indices of two days or more");
  EXPECT_EQ(trouble_of({1, 1, 1, 1, 1, 1, 1, 1, 1}),
            "9 prices are not 4 indices of two days or more");
  EXPECT_EQ(trouble_of({1, 1, 1, 1, 1, 0, 1, 1}),
            "day 1, index 1: the price is 0, but must be positive and finite");
}

}  // namespace
}  // namespace foxhunt
