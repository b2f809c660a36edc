#include "optimizer/explain/undo.h"

#include "gtest/gtest.h"
#include "optimizer/testing/graph_builder.h"
#include "optimizer/testing/program_text.h"

namespace str::optimizer {
namespace {

class UndoTest : public ::testing::Test {
 protected:
  UndoTest() {
    b_.Add("x", {}, {100});
    b_.Add("y", {"x:0"}, {100});
    b_.AddView("v", "y:0", 100);
    b_.Add("z", {"v:0"}, {100});
    b_.Add("end", {"x:0", "z:0", "v:0"}, {1});
  }

  std::string Undone(const std::string& program, const std::string& node) {
    const Graph graph = b_.Build();
    const absl::StatusOr<Program> undone =
        Undo(graph, ParseProgram(graph, program), graph.node(graph.FindNode(node)).first_tensor);
    return undone.ok() ? ProgramText(graph, *undone) : std::string(undone.status().message());
  }

  GraphBuilder b_;
};

TEST_F(UndoTest, ViewsBelongToWhatTheyView) {
  const Graph graph = b_.Build();
  std::vector<TensorId> roots;
  for (TensorId id = 0; id < graph.tensor_count(); ++id) roots.push_back(graph.tensor(id).root);
  EXPECT_EQ(roots, (std::vector<TensorId>{0, 1, 1, 3, 4}));
}

TEST_F(UndoTest, CopiesOfOneTensor) {
  EXPECT_EQ(Undone("x out:x:0 y v wait:x:0 z in:x:0 end", "x"), "x y v z end");
  EXPECT_EQ(Undone("x out:x:0 y v wait:x:0 out:y:0 z wait:y:0 in:y:0 again:v in:x:0 end", "x"),
            "x y v out:y:0 z wait:y:0 in:y:0 again:v end");
}

TEST_F(UndoTest, WhatOnlyServedARerunGoesWithIt) {
  EXPECT_EQ(Undone("x out:x:0 y v wait:x:0 z in:x:0 again:y again:v end", "y"),
            "x out:x:0 y v wait:x:0 z in:x:0 again:v end");
  // z is made again from v, v from y, y from x: without z's rerun none of it is needed, except for v's taker.
  EXPECT_EQ(Undone("x y v z again:x again:y again:v again:z end", "z"), "x y v z again:x again:y again:v end");
  EXPECT_EQ(Undone("x y v z again:y end", "x"), "x y v z end") << "what nobody takes is no decision";
}

TEST_F(UndoTest, WhatIsNotDecidedChangesNothing) {
  EXPECT_EQ(Undone("x out:x:0 y v wait:x:0 z in:x:0 end", "z"), "x out:x:0 y v wait:x:0 z in:x:0 end");
}

}  // namespace
}  // namespace str::optimizer
