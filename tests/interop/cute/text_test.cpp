#include "heddle/interop/cute/text.h"

#include "tests/interop/cute/random_cute.h"

namespace heddle::interop::cute {
namespace text_test {

using namespace property;

RC_GTEST_PROP(Text, ReadsBack, ()) {
  AnyLayout layout = *any_layout(1 << 20);
  if (number_in(0, 3) == 0)
    layout = ComposedLayout{*any_swizzle(), number_in<Number>(0, 100), std::get<Layout>(layout)};
  const auto again = read(text(layout));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == layout);
}

/// A text of a layout with one character changed, left out or put in is read or refused, and a
/// refusal is at a column of the text or one past it.
RC_GTEST_PROP(Text, DamagedTextsAreReadOrRefusedInside, ()) {
  std::string damaged = text(*any_layout());
  const auto place = number_in<std::size_t>(0, damaged.size());
  const char other = *rc::gen::element('(', ')', ',', ':', '_', '-', '7', 'S', 'o', '<', ' ');
  const int kind = number_in(0, 3);
  if (kind == 0) damaged[place] = other;
  if (kind == 1) damaged.erase(place, 1);
  if (kind == 2) damaged.insert(place, 1, other);
  const auto result = read(damaged);
  if (result) {
    RC_ASSERT((read(text(*result)) == result));
  } else {
    RC_ASSERT(result.error().column >= 1u);
    RC_ASSERT(result.error().column <= damaged.size() + 1);
    RC_ASSERT(!result.error().message.empty());
  }
}

// Mojo's way: the whole in parentheses, and blanks behind commas.
TEST(Text, MojosLayouts) {
  for (const auto& [mojo, cute] :
       {std::pair{"((4, 8):(8, 1))", "(4,8):(8,1)"}, std::pair{"(4:1)", "4:1"},
        std::pair{"((9, (4, 8)):(59, (13, 1)))", "(9,(4,8)):(59,(13,1))"},
        std::pair{" ( (64, (8, 4)) : (8, (1, 512)) ) ", "(64,(8,4)):(8,(1,512))"}}) {
    const auto layout = read(mojo);
    ASSERT_TRUE(layout.has_value()) << mojo << layout.error().message;
    EXPECT_EQ(text(*layout), cute);
  }
  for (const char* wrong :
       {"((4, 8):(8, 1)", "((4, 8):(8, 1)))", "((4:1):2)", "(4:1):2", "(:)", "("})
    EXPECT_FALSE(read(wrong).has_value()) << wrong;
}

// Mojo's own text: modular, nn/attention/gpu/amd_rdna/buffers.mojo, with numbers in the place of
// Self.BN and the like, and layout/tile_layout.mojo, layout.mojo and the kernels that use them.
TEST(Text, MojosSource) {
  for (const auto& [mojo, cute, bits] :
       {std::tuple{"comptime SmemTileType = TileTensor[\n    DType.float16,\n    "
                   "type_of(row_major[64, 32]()),\n    MutAnyOrigin,\n    "
                   "address_space=.SHARED,\n]",
                   "(64,32):(32,1)", 16},
        std::tuple{
            "TileTensor[\n    Self.cache_dtype, type_of(row_major[4, 16]()), ImmutAnyOrigin, "
            "Engine=Self.Engine\n]",
            "(4,16):(16,1)", 0},
        std::tuple{
            "TileTensor[.float8_e4m3fn, type_of(col_major[8, 4]()), Engine=PointerEngine[f(1)]]",
            "(8,4):(1,8)", 8},
        std::tuple{"TileTensor[mut=True, DType.bool, type_of(row_major[2, 3, 4]()), _]",
                   "(2,3,4):(12,4,1)", 8},
        std::tuple{"var keys = stack_allocation[DType.int64, address_space=AddressSpace.SHARED](\n"
                   "    row_major[2048]()\n)",
                   "(2048):(1)", 64},
        std::tuple{
            "tt_stack_allocation[\n    dtype=DType.bfloat16, address_space=.LOCAL\n](row_major("
            "Idx[8](), Idx[4]()))",
            "(8,4):(4,1)", 16},
        std::tuple{"LayoutTensor[DType.float32, Layout.row_major(64, 32), MutableAnyOrigin, "
                   "address_space = AddressSpace.SHARED, alignment=128]",
                   "(64,32):(32,1)", 32},
        std::tuple{"Layout(IntTuple(IntTuple(4, 2), 8), IntTuple(IntTuple(1, 32), 4))",
                   "((4,2),8):((1,32),4)", 0},
        std::tuple{"Layout(IntTuple(10))", "(10):(1)", 0},
        std::tuple{"comptime L88 = type_of(row_major[8, 8]())", "(8,8):(8,1)", 0},
        std::tuple{"row_major(Coord(Idx[3](), Idx[5]()))", "(3,5):(5,1)", 0}}) {
    const auto read_text = cute::read_text(mojo);
    ASSERT_TRUE(read_text.has_value()) << mojo << read_text.error().message;
    EXPECT_EQ(text(read_text->layout), cute) << mojo;
    EXPECT_EQ(read_text->element_bits, bits) << mojo;
  }
  for (const char* wrong :
       {"row_major[Self.BN, 32]()", "row_major[64, 32", "row_major", "TileTensor[",
        "TileTensor[DType.float17, type_of(row_major[4]()), _]", "TileTensor[.float16, 4]",
        "TileTensor[.float16, type_of(row_major[4]()), f(", "Layout(IntTuple(4), IntTuple(1, 2))",
        "stack_allocation[.int8]()", "comptime = row_major[4]()", "row_major[0]()",
        "row_major[288230376151711744, 288230376151711744]()"})
    EXPECT_FALSE(cute::read_text(wrong).has_value()) << wrong;
}

TEST(Text, OtherSpellings) {
  const auto same = [](std::string_view a, std::string_view b) {
    ASSERT_TRUE(read(a)) << a << ": " << read(a).error().message;
    EXPECT_EQ(text(*read(a)), b);
  };
  same("(_8,_8):(_8,_1)", "(8,8):(8,1)");
  same(" ( 4 , ( 2, 2) ) : ( 1 , (4,8) ) ", "(4,(2,2)):(1,(4,8))");
  same("(4,):(1,)", "(4):(1)");  // Python's tuple of one
  same("4:_-1", "4:-1");
  same("Sw<3,4,3> o _0 o (_8,_64):(_64,_1)", "Sw<3,4,3> o 0 o (8,64):(64,1)");
  same("S<3,4,3> o 0 o 8:1", "Sw<3,4,3> o 0 o 8:1");  // CuTe's Python DSL
  same("Sw<2,0,-3> o 5 o 8:1", "Sw<2,0,-3> o 5 o 8:1");
}

// Types as a compiler names them, beside what CuTe prints of their objects: CUTLASS at the commit
// of tests/data/cute.json.gz, by g++ 12.
TEST(Text, TypesAreWhatTheirObjectsPrint) {
  const std::pair<const char*, const char*> pairs[] = {
      {"cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, cute::C<1> > "
       ">",
       "(_8,_64):(_64,_1)"},
      {"cute::Layout<cute::tuple<cute::tuple<cute::C<4>, cute::C<8> >, cute::C<2> >, "
       "cute::tuple<cute::tuple<cute::C<32>, cute::C<1> >, cute::C<16> > >",
       "((_4,_8),_2):((_32,_1),_16)"},
      {"cute::ComposedLayout<cute::Swizzle<3, 3, 3>, cute::C<0>, "
       "cute::Layout<cute::tuple<cute::C<8>, "
       "cute::C<64> >, cute::tuple<cute::C<64>, cute::C<1> > > >",
       "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"},
      {"cute::ComposedLayout<cute::Swizzle<3, 4, 3>, cute::smem_ptr_flag_bits<16>, "
       "cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, cute::C<1> > "
       "> >",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"},
      // The same as source has them.
      {"Layout<Shape<_8,_64>, Stride<_64,_1>>{}", "(_8,_64):(_64,_1)"},
      {"make_layout(make_shape(Int<8>{}, 64), make_stride(64, Int<1>{}))", "(_8,64):(64,_1)"},
      {"make_layout(make_shape(Int<4>{}, Int<2>{}, Int<3>{}))", "(_4,_2,_3):(_1,_4,_8)"},
      {"make_layout(make_shape(Int<4>{}, Int<2>{}), LayoutRight{})", "(_4,_2):(_2,_1)"},
      {"Layout<Shape<_4,Shape<_2,_3>>>", "(_4,(_2,_3)):(_1,(_4,_8))"},
      {"composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>,Stride<_64,_1>>{})",
       "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)"},
      {"Swizzle<3,3,3> o (8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      // Canonical layouts of wgmma and ordered layouts, and what CuTe of CUTLASS 4.7.0 prints of
      // them.
      {"GMMA::Layout_K_SW128_Atom<cutlass::half_t>",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)"},
      {"cute::UMMA::Layout_MN_SW128_Atom<half_t>{}",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_8):(_1,_64)"},
      {"SM90::GMMA::Layout_K_SW64_Atom<float>",
       "Sw<2,4,3> o smem_ptr[32b](unset) o (_8,_16):(_16,_1)"},
      {"GMMA::Layout_MN_SW32_Atom<cutlass::float_e4m3_t>",
       "Sw<1,4,3> o smem_ptr[8b](unset) o (_32,_8):(_1,_32)"},
      {"GMMA::Layout_K_INTER_Atom<cutlass::bfloat16_t>",
       "Sw<0,4,3> o smem_ptr[16b](unset) o (_8,_8):(_8,_1)"},
      {"GMMA::Layout_MN_INTER_Atom<int8_t>", "Sw<0,4,3> o smem_ptr[8b](unset) o (_16,_8):(_1,_16)"},
      {"make_ordered_layout(Shape<_128,_64>{}, Step<_2,_1>{})", "(_128,_64):(_64,_1)"},
      {"make_ordered_layout(Shape<_2,Shape<_3,_4>,_5>{}, Step<_3,_1,_2>{})",
       "(_2,(_3,_4),_5):(_60,(_1,_3),_12)"},
      {"make_ordered_layout(Shape<_2,_3,_4>{}, Step<_1,_1,_0>{})", "(_2,_3,_4):(_4,_4,_1)"},
      // The same in Python, and what CuTe's DSL prints.
      {"cute.make_ordered_layout((128, 64), order=(1, 0))", "(128,64):(64,1)"},
      {"cute.make_layout((8, 64), stride=(64, 1))", "(8,64):(64,1)"},
      {"cute.make_composed_layout(cute.make_swizzle(3, 3, 3), 0, cute.make_layout((8, 64), "
       "stride=(64, 1)))",
       "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      {"!cute.layout<\"((4,8),(2,2)):((32,1),(16,8))\">", "((4,8),(2,2)):((32,1),(16,8))"},
      {"!cute.composed_layout<\"S<3,3,3> o 0 o (8,64):(64,1)\">", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      {"!cute.memref<f16, smem, align<1024>, S<3,4,3>, \"(8,64):(64,1)\">",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
      {"tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)>",
       "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)"},
      {"tensor<ptr<f8E4M3FN, gmem, align<16>> o (8,64):(64,1)>",
       "gmem_ptr[8b](0x0) o (8,64):(64,1)"},
      {"raw_ptr(0x00007f1c8c000000: f32, gmem, align<16>) o (8,64):(64,1)",
       "gmem_ptr[32b](0x0) o (8,64):(64,1)"},
      // FlyDSL's types.
      {"!fly.layout<(8, 16):(1, 8)>", "(8,16):(1,8)"},
      {"!fly.layout<8:1>", "8:1"},
      {"!fly.composed_layout<S<3,3,3> o 0 o (8, 64) : (64, 1)>", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
      {"!fly.memref<f16, register, (8,2,1):(1,8,0)>", "rmem_ptr[16b](0x0) o (8,2,1):(1,8,0)"},
      {"!fly.memref<bf16, #fly_rocdl.buffer_desc, ((16,8),8):((8,65536),1)>",
       "gmem_ptr[16b](0x0) o ((16,8),8):((8,65536),1)"},
  };
  for (const auto& [type, printed] : pairs) {
    const auto of_type = read_text(type), of_object = read_text(printed);
    ASSERT_TRUE(of_type) << type << " " << of_type.error().column << of_type.error().message;
    EXPECT_EQ(of_type->layout, of_object->layout) << type;
    EXPECT_EQ(of_type->element_bits, of_object->element_bits) << type;
  }
  EXPECT_EQ(read("cute::Layout<cute::tuple<cute::C<8>, int>, cute::tuple<int, cute::C<1> > >")
                .error()
                .message,
            "expected a number; this one is known only at run time, found 'i'");
}

TEST(Text, WhatThePythonDslsPrintIsRefusedWhereItSaysTooLittle) {
  for (const char* wrong :
       {"tensor<ptr<f16, gmem> o (?,?):(?,1)>", "tensor<ptr<f16, smem, S<3,4,3>>", "tensor<ptr<",
        "tensor<ptr<token, smem> o 8:1>", "!cute.memref<f16, smem>",
        "!cute.memref<f16, smem, \"8:1>", "!cute.ptr<f16, smem>", "!fly.memref<f16, register>",
        "!fly.composed_layout<SM<2,6,2> o 0 o 8:1>", "raw_ptr(0x: f16) o 8:1",
        "raw_ptr(0x10) o 8:1", "GMMA::Layout_K_SW128_Atom<TypeA>",
        "GMMA::Layout_K_SW16_Atom<half_t>", "GMMA::Layout_K", "UMMA::Layout_K_SW128_Atom<f6E2M3FN>",
        "make_ordered_layout((8,8), order=(1))", "make_ordered_layout((8,8))",
        "make_ordered_layout((288230376151711744,288230376151711744), (0,1))",
        "make_composed_layout(make_swizzle(3,3), 0, 8:1)"})
    EXPECT_FALSE(read_text(wrong)) << wrong;
}

// What print() and print_tensor() write, by the same program.
TEST(Text, TiledCopiesAndTensors) {
  const auto copy = read_text(
      "TiledCopy\n  Tiler_MN:       (_32,_64)\n  TiledLayout_TV: "
      "((_8,_32),_8):((_256,_1),_32)\nCopy_Atom\n  ThrID:        _1:_0\n  ValLayoutSrc: "
      "(_1,_8):(_0,_1)\n  ValLayoutDst: (_1,_8):(_0,_1)\n  ValLayoutRef: (_1,_8):(_0,_1)\n  "
      "ValueType:    16b\n");
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(text(copy->layout), "((8,32),8):((256,1),32)");
  EXPECT_EQ(copy->tile, (std::vector<std::int64_t>{32, 64}));
  EXPECT_EQ(copy->element_bits, 16);
  const auto tensor = read_text(
      "gmem_ptr[32b](0x55fef33550a0) o (_2,_4):(_4,_1):\n  0.00e+00  1.00e+00  0.00e+00\n");
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(text(tensor->layout), "(2,4):(4,1)");
  EXPECT_FALSE(read("(2,4):(4,1): 0.00"));
  for (const char* wrong :
       {"TiledCopy", "TiledCopy Tiler_MN: (", "TiledCopy Tiler_MN: (2:2) TiledLayout_TV: 2:1",
        "ComposedLayout<", "ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<0>, 8:1>",
        "composition(Swizzle<3,4,3>{}", "Layout<", "Layout<8", "make_layout(make_shape(8",
        "Layout<Shape<_4194304,_4194304>,LayoutRight", "make_layout((288230376151711744,8))"})
    EXPECT_FALSE(read(wrong)) << wrong;
}

// CuTe's own swizzles of shared memory count bytes: Sw<3,4,3> is that of 128-byte lines for every
// width. What is read counts elements.
TEST(Text, ASwizzleOfAddressesIsReadAsOneOfElements) {
  const auto is = [](std::string_view a, std::string_view b, int bits) {
    const auto read = read_text(a);
    ASSERT_TRUE(read) << a << ": " << read.error().message;
    EXPECT_EQ(text(read->layout), b) << a;
    EXPECT_EQ(read->element_bits, bits) << a;
  };
  is("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", 16);
  is("Sw<3,4,3> o smem_ptr[8b](unset) o (_8,_128):(_128,_1)", "Sw<3,4,3> o 0 o (8,128):(128,1)", 8);
  is("Sw<3,4,3> o smem_ptr[32b](unset) o (_8,_32):(_32,_1)", "Sw<3,2,3> o 0 o (8,32):(32,1)", 32);
  is("Sw<3,4,3> o smem_ptr[4b](unset) o (_8,_256):(_256,_1)", "Sw<3,5,3> o 0 o (8,256):(256,1)", 4);
  is("Sw<3,4,3> o smem_ptr[1b](unset) o (_8,_1024):(_1024,_1)", "Sw<3,7,3> o 0 o (8,1024):(1024,1)",
     1);
  is("Sw<0,4,3> o smem_ptr[64b](unset) o (_8,_2):(_2,_1)", "(8,2):(2,1)", 64);
  is("Sw<3,4,3> o smem_sparse<2>_ptr[16b](unset) o (_8,_128):(_128,_1)",
     "Sw<3,4,3> o 0 o (8,128):(128,1)", 16);
  is("Sw<3,4,3>_smem_ptr[16b](0x7f0000000400) o (_8,_64):(_64,_1)", "Sw<3,3,3> o 0 o (8,64):(64,1)",
     16);
  is("Sw<3,4,3>_smem_ptr[16b](0x7f0000000410) o (_8,_64):(_64,_1)", "Sw<3,3,3> o 8 o (8,64):(64,1)",
     16);
  is("smem_ptr[16b](0x7f0000000400) o Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
     "Sw<3,3,3> o 0 o (8,64):(64,1)", 16);
  is("gmem_ptr[32b](0x7f0000000404) o (8,64):(64,1)", "(8,64):(64,1)", 32);
  is("ptr[16b](0x7ffd12345678) o 8:1", "8:1", 16);
  is("rmem_subptr[6b](0x7ffd12345678.0) o 8:1", "8:1", 6);
  is("smem_[16b] o 8:1", "8:1", 16);
  is("tmem_[32b](0x0000.0040) o (128,64):(65536,1)", "(128,64):(65536,1)", 32);
  is("(8,64):(64,1)", "(8,64):(64,1)", 0);
}

/// The bytes of an element lie where the swizzle puts its first byte, for every width.
RC_GTEST_PROP(Text, SwizzledAddressesAreThoseOfTheBytes, ()) {
  const int log2_bytes = number_in(0, 4);
  const Swizzle of_bytes{number_in(0, 4), number_in(log2_bytes, 6), number_in(3, 5)};
  const std::string flag = "smem_ptr[" + std::to_string(8 << log2_bytes) + "b](unset)";
  const auto layout = read(text(of_bytes) + " o " + flag + " o 4096:1");
  RC_ASSERT(layout.has_value());
  const auto index = number_in<Number>(0, 4096);
  RC_ASSERT((evaluate(*layout, index) << log2_bytes) == of_bytes(index << log2_bytes));
}

struct Mistake {
  const char* text;
  std::size_t column;
  const char* message;
};

TEST(Text, ErrorsPointAtTheColumn) {
  const std::string deep(20, '(');
  const Mistake mistakes[] = {
      {"", 1, "expected a size, found the end of the text"},
      {"(4,8)", 6, "expected ':' between shape and strides, found the end of the text"},
      {"((4,8):1", 7, "expected ')' or ',' in the shape, found ':'"},
      {"(4,8):(1)", 9, "expected ',' with 2 strides, as the shape (4,8) nests, found ')'"},
      {"(4,8):(1,4,5)", 12, "expected ')' with 2 strides, as the shape (4,8) nests, found '5'"},
      {"(4,(2,2)):(1,4)", 14, "expected '(' with 2 strides, as the shape (2,2) nests, found '4'"},
      {"4:(1)", 3, "expected the stride of the size 4, found '('"},
      {"(4,x):(1,4)", 4, "expected a size, found 'x'"},
      {"():()", 2, "expected a size, found ')'"},
      {"(4,0):(1,4)", 4, "a size is from 1 to 288230376151711744"},
      {"(4,-2):(1,4)", 4, "expected a size, found '-'"},
      {"4:1 x", 5, "expected the end of the layout, found 'x'"},
      {"(2,2):(1,9999999999999999999)", 10,
       "the stride of the size 2 is from -288230376151711744 to 288230376151711744"},
      {"(4294967296,4294967296):(0,0)", 1, "the layout has more than 2^62 coordinates"},
      {"Sw<3,4,2> o 0 o 8:1", 4,
       "a swizzle of 3 bits needs a shift of at least 3, or it would flip bits by themselves"},
      {"Sw<3,4> o 0 o 8:1", 7, "expected ',' and the shift of the swizzle, found '>'"},
      {"Sw<3,99,3> o 0 o 8:1", 6, "the base of a swizzle is from -62 to 62"},
      {"Sw<3,4,3> 8:1", 11,
       "expected 'o' and an offset behind the swizzle, as in Sw<3,4,3> o 0 o (8,64):(64,1), found "
       "'8'"},
      {"Sw<3,4,3> o -1 o 8:1", 13, "expected the offset, found '-'"},
      {"Sw<3,4,3> o 0 (8,64):(64,1)", 15, "expected 'o' and a layout behind the offset, found '('"},
      {"Sw<2,1,3> o smem_ptr[32b](unset) o 8:1", 1,
       "Sw<2,1,3> of byte addresses flips bits inside an element of 32 bits; its base is at least "
       "2"},
      {"Sw<3,4,3> o smem_ptr[6b](unset) o 8:1", 1,
       "a swizzle of addresses parts elements of 6 bits, no power of two"},
      {"Sw<3,4,3>_smem_ptr[32b](0x402) o 8:1", 1,
       "the address 1026 lies inside an element of 32 bits"},
      {"smem_ptr[0b](unset) o 8:1", 10, "the bits of an element is from 1 to 4096"},
      {"smem_ptr[16b](unset) 8:1", 22, "expected 'o' and a layout behind the pointer, found '8'"},
      {"smem_pt[16b](unset) o 8:1", 6, "expected 'ptr' as in smem_ptr[16b](unset), found 'p'"},
      {"sparse<3>_ptr[16b](0x0) o 8:1", 8,
       "a sparse pointer has a power of two of elements at an address"},
      {"Sw<3,4,3> o gmem_ptr[16b](unset) o 8:1", 13, "expected the offset, found 'g'"},
      {deep.c_str(), 17, "expected a size; tuples nest at most 16 deep, found '('"},
  };
  for (const Mistake& mistake : mistakes) {
    const auto result = read(mistake.text);
    ASSERT_FALSE(result) << mistake.text;
    EXPECT_EQ(result.error().column, mistake.column) << mistake.text;
    EXPECT_EQ(result.error().message, mistake.message);
  }
}

TEST(Text, AnErrorEndsTheReadingOfAPointer) { EXPECT_FALSE(read("sparse<sparse<3")); }

TEST(Text, AtMost64Leaves) {
  std::string shape = "(1", strides = "(0";
  for (int i = 1; i < 64; ++i) {
    shape += ",1";
    strides += ",0";
  }
  EXPECT_TRUE(read(shape + "):" + strides + ")"));
  const auto result = read(shape + ",1):" + strides + ",0)");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "a layout has at most 64 leaves");
}

}  // namespace text_test
}  // namespace heddle::interop::cute
