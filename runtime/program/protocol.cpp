#include "runtime/program/protocol.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace heddle::program {
namespace {

/// Waits until the socket is ready for `events`, and then returns true. Returns false if the other
/// side has ended (`ended` is readable) and the socket is not ready.
bool wait_for(int socket, short events, int ended) {
  std::array<pollfd, 2> waiting{{{socket, events, 0}, {ended, POLLIN, 0}}};
  for (;;) {
    const int ready = ::poll(waiting.data(), waiting.size(), -1);
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && waiting[0].revents != 0;
  }
}

bool send_all(int socket, std::string_view bytes, int ended) {
  while (!bytes.empty()) {
    const ssize_t sent =
        ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | (ended >= 0 ? MSG_DONTWAIT : 0));
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN && wait_for(socket, POLLOUT, ended)) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_all(int socket, std::span<char> bytes, int ended) {
  while (!bytes.empty()) {
    const ssize_t received =
        ::recv(socket, bytes.data(), bytes.size(), ended >= 0 ? MSG_DONTWAIT : 0);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0 && errno == EAGAIN && wait_for(socket, POLLIN, ended)) continue;
    if (received <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(received));
  }
  return true;
}

}  // namespace

bool send_message(int socket, std::uint32_t kind, std::string_view bytes, int ended) {
  if (bytes.size() > most_message_bytes) return false;
  const Header header{kind, static_cast<std::uint32_t>(bytes.size())};
  return send_all(socket, {reinterpret_cast<const char*>(&header), sizeof header}, ended) &&
         send_all(socket, bytes, ended);
}

bool receive_message(int socket, Header& header, std::string& bytes, int ended) {
  if (!receive_all(socket, {reinterpret_cast<char*>(&header), sizeof header}, ended)) return false;
  if (header.bytes > most_message_bytes) return false;
  // Allocates memory part by part as bytes arrive, since a header may promise more than is sent.
  bytes.clear();
  while (bytes.size() < header.bytes) {
    constexpr std::size_t part = 1 << 20;
    const std::size_t begin = bytes.size();
    bytes.resize(std::min<std::size_t>(header.bytes, begin + part));
    if (!receive_all(socket, std::span(bytes).subspan(begin), ended)) return false;
  }
  return true;
}

}  // namespace heddle::program
