#include "runtime/program/protocol.h"

#include <sys/socket.h>

#include <cerrno>

namespace heddle::program {
namespace {

bool send_all(int socket, const char* first, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(socket, first, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    first += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* first, std::size_t count) {
  while (count > 0) {
    const ssize_t received = ::recv(socket, first, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    first += received;
    count -= static_cast<std::size_t>(received);
  }
  return true;
}

}  // namespace

bool send_message(int socket, std::uint32_t kind, std::string_view bytes) {
  if (bytes.size() > most_message_bytes) return false;
  const Header header{kind, static_cast<std::uint32_t>(bytes.size())};
  return send_all(socket, reinterpret_cast<const char*>(&header), sizeof header) &&
         send_all(socket, bytes.data(), bytes.size());
}

bool receive_message(int socket, Header& header, std::string& bytes) {
  if (!receive_all(socket, reinterpret_cast<char*>(&header), sizeof header)) return false;
  if (header.bytes > most_message_bytes) return false;
  bytes.resize(header.bytes);
  return receive_all(socket, bytes.data(), bytes.size());
}

}  // namespace heddle::program
