#include "math/expression.hpp"

#include <fmt/format.h>
#include <muParser.h>

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace clatter {

Expression::Expression(double constant) : constant_(constant) {}

Expression::Expression(const std::string& text)
    : text_(text), t_(std::make_unique<double>(0.0)), parser_(std::make_unique<mu::Parser>()) {
  try {
    parser_->DefineConst("pi", std::numbers::pi);
    parser_->DefineVar("t", t_.get());
    parser_->SetExpr(text);
    parser_->Eval();
  } catch (const mu::Parser::exception_type& error) {
    throw std::invalid_argument(error.GetMsg());
  }
}

Expression::Expression(const Expression& other) : constant_(other.constant_) {
  if (!other.is_constant()) *this = Expression(other.text_);
}

Expression::Expression(Expression&&) noexcept = default;
Expression::~Expression() = default;

Expression& Expression::operator=(Expression other) noexcept {
  constant_ = other.constant_;
  text_ = std::move(other.text_);
  // The parser points at *t_, so the two move together.
  parser_ = std::move(other.parser_);
  t_ = std::move(other.t_);
  return *this;
}

double Expression::operator()(double t) const {
  if (is_constant()) return constant_;
  *t_ = t;
  return parser_->Eval();
}

double Expression::rate(double t, double spacing) const {
  if (is_constant()) return 0.0;
  static constexpr std::array<double, 4> weight{4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  double sum = 0.0;
  for (int k = 1; k <= 4; ++k) {
    sum += weight[k - 1] * ((*this)(t + k * spacing) - (*this)(t - k * spacing));
  }
  return sum / spacing;
}

double Expression::second_rate(double t, double spacing) const {
  if (is_constant()) return 0.0;
  static constexpr std::array<double, 4> weight{8.0 / 5.0, -1.0 / 5.0, 8.0 / 315.0, -1.0 / 560.0};
  double sum = -205.0 / 72.0 * (*this)(t);
  for (int k = 1; k <= 4; ++k) {
    sum += weight[k - 1] * ((*this)(t + k * spacing) + (*this)(t - k * spacing));
  }
  return sum / (spacing * spacing);
}

std::string Expression::text() const {
  return is_constant() ? fmt::format("{}", constant_) : text_;
}

}  // namespace clatter
