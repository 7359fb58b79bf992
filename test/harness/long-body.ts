import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { once } from "node:events"
import { connect, type Socket } from "node:net"

/** Length of a body that no server of this process reads for nothing. */
export const LONG_BODY_BYTES = 1024 * 1024

/** Published by Node for each request whose headers were read. */
const CHANNEL = "http.server.request.start"

/** All that a caller got, and the bytes that the server in this process read of the connection. */
export type Exchange = { text: string; bytesRead: number }

/**
 * Sends the head of a request and a long body to a server of this process, and reads until the connection is closed.
 * @param head first line and headers, without the one of the body's length
 */
export async function sendLongBody(port: number, head: string, length = declared): Promise<Exchange> {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => undefined)
  await once(socket, "connect")
  const accepted = acceptedEndOf(socket)
  const chunks: Buffer[] = []
  socket.on("data", (chunk: Buffer) => chunks.push(chunk))
  socket.write(`${head}${length}\r\n\r\n`)
  socket.write(Buffer.alloc(LONG_BODY_BYTES, "x"))
  const serverSide = await accepted
  if (!serverSide.closed) await once(serverSide, "close")
  if (!socket.closed) await once(socket, "close")
  return { text: Buffer.concat(chunks).toString(), bytesRead: serverSide.bytesRead }
}

const declared = `Content-Length: ${LONG_BODY_BYTES}`

/** The server's end of a connection, once it has read the headers of a request. */
function acceptedEndOf(socket: Socket): Promise<Socket> {
  return new Promise((resolve) => {
    const onRequest = (message: unknown) => {
      const { socket: accepted } = message as { socket: Socket }
      if (accepted.remotePort !== socket.localPort) return
      unsubscribe(CHANNEL, onRequest)
      resolve(accepted)
    }
    subscribe(CHANNEL, onRequest)
  })
}
