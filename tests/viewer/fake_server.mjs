// A stand-in for `grouser view`: the page, /hello.json and a WebSocket that plays a made-up run live (docs/replay.md, "Live runs").
// Only what the test needs of RFC 6455: binary and text frames, client frames masked and unfragmented, close.

import { createHash } from "node:crypto";
import { createServer } from "node:http";

function frame(opcode, payload) {
  const head = payload.length < 126 ? Buffer.from([0x80 | opcode, payload.length])
    : payload.length < 65536 ? Buffer.from([0x80 | opcode, 126, payload.length >> 8, payload.length & 255])
    : Buffer.concat([Buffer.from([0x80 | opcode, 127, 0, 0, 0, 0]), (() => { const b = Buffer.alloc(4); b.writeUInt32BE(payload.length); return b; })()]);
  return Buffer.concat([head, payload]);
}

/** Calls `text` for every complete text frame in the stream. */
function reader(text) {
  let pending = Buffer.alloc(0);
  return (data) => {
    pending = Buffer.concat([pending, data]);
    for (;;) {
      if (pending.length < 2) return;
      let length = pending[1] & 127;
      let at = 2;
      if (length === 126) {
        if (pending.length < 4) return;
        length = pending.readUInt16BE(2);
        at = 4;
      }
      if (pending.length < at + 4 + length) return;
      const mask = pending.subarray(at, at + 4);
      const body = Buffer.from(pending.subarray(at + 4, at + 4 + length));
      for (let k = 0; k < length; k++) body[k] ^= mask[k & 3];
      if ((pending[0] & 15) === 1) text(body.toString("utf8"));
      pending = pending.subarray(at + 4 + length);
    }
  };
}

/** connected(send, socket) is called for every viewer; received(object) for every command. */
export async function serve(page, hello, connected, received) {
  const server = createServer((request, response) => {
    if (request.url === "/hello.json") response.end(JSON.stringify(hello));
    else if (request.url === "/") response.setHeader("content-type", "text/html").end(page);
    else response.writeHead(hello.files?.[request.url] ? 200 : 404).end(hello.files?.[request.url] ?? "");
  });
  server.on("upgrade", (request, socket) => {
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${request.headers["sec-websocket-protocol"]}\r\n\r\n`);
    socket.on("data", reader((text) => received(JSON.parse(text))));
    socket.on("error", () => {});
    connected((bytes) => { if (socket.writable) socket.write(frame(2, bytes)); }, socket, request);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => { server.closeAllConnections?.(); server.close(); } };
}
