#include "runtime/judge/matmul_check.h"

#include "runtime/judge/product_check.h"

namespace heddle::runtime {
namespace {

MatrixView view(const Matrix& matrix) {
  return {matrix.type, matrix.bytes, {}, {matrix.columns}, {1}, 0, {}};
}

}  // namespace

MatmulCheck check_matmul(const Matrix& a, const Matrix& b, const Matrix& c, const Matrix& d,
                         const std::function<void(std::int64_t rows)>& progress) {
  Product product;
  product.problem = {d.rows, d.columns, a.columns, a.type, d.type};
  product.a = view(a);
  product.b = view(b);
  product.c = view(c);
  product.d = view(d);
  product.sum_result = d.type;
  return check_product(product, progress);
}

}  // namespace heddle::runtime
