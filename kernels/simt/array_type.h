// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace foxhunt::simt {

// ArrayType<float, 16, 17> is float[16][17]; ArrayType<float> is float.
template <class T, std::size_t... Dims>
struct ArrayOf {
  using type = T;
};

template <class T, std::size_t First, std::size_t... Rest>
struct ArrayOf<T, First, Rest...> {
  using type = typename ArrayOf<T, Rest...>::type[First];
};

template <class T, std::size_t... Dims>
using ArrayType = typename ArrayOf<T, Dims...>::type;

}  // namespace foxhunt::simt
