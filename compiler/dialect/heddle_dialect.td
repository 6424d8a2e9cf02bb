// The dialect of Heddle: layouts of warp-level vectors, and the change from one to another.
#ifndef HEDDLE_DIALECT
#define HEDDLE_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def HeddleDialect : Dialect {
  let name = "heddle";
  let cppNamespace = "::heddle::dialect";
  let summary = "Which register of which lane holds which element of a warp's vector";
  let description = [{
    A vector at warp level belongs to all lanes of a warp together. Passes give each one a layout,
    as the attribute `heddle.layouts` of the operation that makes it, one for each result:

    ```mlir
    %d = arith.addf %x, %y {heddle.layouts = [#heddle.layout<
        "register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> d0: 16, d1: 8">]}
        : vector<16x8xf32>
    ```
  }];
  let useDefaultAttributePrinterParser = 1;
}

def LayoutParameter : AttrOrTypeParameter<"::heddle::layout::LinearLayout", "(register, lane) -> (d0, d1, ...)"> {
  let cppStorageType = "::heddle::layout::LinearLayout";
}

def LayoutAttr : AttrDef<HeddleDialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "Which element each register of each lane holds";
  let description = [{
    A map that is linear over F2, in the text form of heddle/layout/text.h: (register, lane) to the
    coordinates d0, d1, ... of the vector. The axes d0, d1, ... may be longer than those of the
    vector; positions beyond it hold nothing that anybody reads.
  }];
  let parameters = (ins LayoutParameter:$map);
  let hasCustomAssemblyFormat = 1;
}

def ConvertLayoutOp : Op<HeddleDialect, "convert_layout", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "The same vector in another layout";
  let description = [{
    The layout of the result is the attribute `heddle.layouts` of this operation; that of the source
    is the one of the operation that makes it.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$source);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

#endif
