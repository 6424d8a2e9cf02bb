// Files whole or not at all, and none that a text may not name.
#include "runtime/files/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace heddle::runtime {
namespace files_test {

namespace fs = std::filesystem;

constexpr std::size_t most = 1 << 20;

/// A folder of its own for each test.
class Files : public testing::Test {
 protected:
  Files() : folder_(fs::path(testing::TempDir()) / ("files_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "inside");
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const {
    return read_file(at(name), most, FileKind::regular).value_or("(none)");
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(Files, AFileIsReplacedAndKeepsItsPermissions) {
  ASSERT_TRUE(write_file(at("a"), "first"));
  ::chmod(at("a").c_str(), 0640);
  ASSERT_TRUE(write_file(at("a"), "second"));
  EXPECT_EQ(content("a"), "second");
  struct stat status;
  ::stat(at("a").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(entries(), 2u) << "a and the folder, and nothing temporary";
}

/// A process may write no more than 4 KiB into a file: as on a full disk, the first bytes arrive
/// and the others do not.
TEST_F(Files, WithoutRoomTheFileIsWhatItWas) {
  ASSERT_TRUE(write_file(at("a"), "first"));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit little{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  const auto written = write_file(at("a"), std::string(100000, 'x'));
  const auto fresh = write_file(at("b"), std::string(100000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error(), "cannot write '" + at("a") + "': File too large");
  EXPECT_FALSE(fresh);
  EXPECT_EQ(content("a"), "first");
  EXPECT_EQ(entries(), 2u) << "neither b nor anything temporary";
}

TEST_F(Files, LinksStayAndDevicesAreWrittenAsTheyAre) {
  ASSERT_TRUE(write_file(at("inside/real"), "first"));
  fs::create_symlink("inside/real", at("link"));
  ASSERT_TRUE(write_file(at("link"), "second"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(content("inside/real"), "second");
  EXPECT_TRUE(write_file("/dev/null", "bytes"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const auto full = write_file("/dev/full", "bytes");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error(), "cannot write '/dev/full': No space left on device");
}

TEST_F(Files, WhatCannotBeWrittenIsSaid) {
  EXPECT_EQ(write_file(at("no/such"), "x").error(),
            "cannot write '" + at("no/such") + "': No such file or directory");
  EXPECT_EQ(write_file(at("inside"), "x").error(),
            "cannot write '" + at("inside") + "': Is a directory");
}

TEST_F(Files, APipeIsNoRegularFileAndHoldsNobodyUp) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const auto read = read_file(at("pipe"), most, FileKind::regular);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "cannot read '" + at("pipe") + "': it is no regular file");
  EXPECT_FALSE(read_file("/dev/zero", most, FileKind::regular));
  EXPECT_EQ(read_file("/dev/zero", most, FileKind::any).error(), "'/dev/zero' has more than 1 MiB");
  EXPECT_EQ(read_file(at("inside"), most, FileKind::regular).error(),
            "cannot read '" + at("inside") + "': Is a directory");
}

TEST_F(Files, NothingThatWasReadIsOverwritten) {
  ASSERT_TRUE(write_file(at("a"), "input"));
  EXPECT_EQ(content("a"), "input");
  fs::create_symlink("a", at("link"));
  fs::create_hard_link(at("a"), at("hard"));
  for (const char* name : {"a", "link", "hard", "inside/../a"})
    EXPECT_EQ(write_file(at(name), "output").error(),
              "cannot write '" + at(name) + "': it is what was read; name another file");
  EXPECT_EQ(content("a"), "input");
  ASSERT_TRUE(write_file(at("a"), "updated", Existing::is_updated));
  EXPECT_EQ(content("hard"), "input") << "another file by now";
  EXPECT_EQ(content("a"), "updated");
}

TEST_F(Files, OnlyWhatLiesBelowTheFoldersIsRead) {
  ASSERT_TRUE(write_file(at("inside/a"), "inside"));
  ASSERT_TRUE(write_file(at("b"), "outside"));
  ASSERT_TRUE(write_file(at("inside-too"), "outside"));
  fs::create_symlink("../b", at("inside/link"));
  ASSERT_EQ(::mkfifo(at("inside/pipe").c_str(), 0600), 0);
  const FileFolders folders({at("inside"), at("no/such/folder")});
  EXPECT_EQ(folders.read(at("inside/a"), most).value_or(""), "inside");
  EXPECT_EQ(folders.read(at("inside/../inside/a"), most).value_or(""), "inside");
  for (const char* name : {"b", "inside/../b", "inside/link", "inside-too", "inside/pipe", "none"})
    EXPECT_FALSE(folders.read(at(name), most)) << name;
  EXPECT_FALSE(folders.read("/etc/passwd", most));
  EXPECT_TRUE(FileFolders({at("b")}).read(at("b"), most)) << "a single file";
  EXPECT_FALSE(FileFolders({"/"}).read("/etc/passwd", most)) << "below the root lies everything";
  EXPECT_FALSE(FileFolders({}).read(at("b"), most));
}

}  // namespace files_test
}  // namespace heddle::runtime
