#include "tf_plugin/device/marked_graph.h"

#include <memory>

#include "gtest/gtest.h"
#include "tf_plugin/testing/graph_builder.h"

namespace str::device {
namespace {

class SilentObserver : public GraphObserver {
 public:
  void Starting(int, tensorflow::OpKernelContext&, OpRecord&) override {}
  void Finished(int, tensorflow::OpKernelContext&, const OpRecord&, int64_t) override {}
};

TEST(MarkedGraphTest, AMarkLeadsToTheGraphsObserver) {
  testing::GraphBuilder b;
  tensorflow::Node* const node = b.Floats("x", {2});
  EXPECT_FALSE(IsMarked(*node));
  EXPECT_EQ(FindMark(node->def()).observer, nullptr);

  MarkNode(node, "marked", 7);
  EXPECT_TRUE(IsMarked(*node));
  EXPECT_EQ(FindMark(node->def()).observer, nullptr) << "nobody observes this graph yet";

  const auto observer = std::make_shared<SilentObserver>();
  SetObserver("marked", observer);
  SetObserver("another", std::make_shared<SilentObserver>());
  const Mark mark = FindMark(node->def());
  EXPECT_EQ(mark.observer, observer);
  EXPECT_EQ(mark.index, 7);
}

TEST(MarkedGraphTest, ALaterObserverReplacesTheEarlierOne) {
  SetObserver("replaced", std::make_shared<SilentObserver>());
  const auto second = std::make_shared<SilentObserver>();
  SetObserver("replaced", second);
  EXPECT_EQ(FindObserver("replaced"), second);
  EXPECT_EQ(FindObserver("never set"), nullptr);
}

TEST(MarkedGraphTest, HalfAMarkIsNone) {
  testing::GraphBuilder b;
  tensorflow::Node* const node = b.Floats("x", {2});
  SetObserver("half", std::make_shared<SilentObserver>());
  node->AddAttr(kGraphAttr, "half");
  EXPECT_EQ(FindMark(node->def()).observer, nullptr);
}

}  // namespace
}  // namespace str::device
