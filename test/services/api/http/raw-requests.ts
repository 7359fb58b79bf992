// Requests as bytes on a socket, and their answers.
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { FORMED } from "../stamps.ts"
import { type Json } from "../start-api.ts"

export const HOST = "Host: localhost\r\n"
export const WHOAMI = `POST /public/v1/query/whoami HTTP/1.1\r\nX-Stamp: ${FORMED["x-stamp"]}\r\n`

export type Answer = { status: number; headers: Headers; json: Json; text: string }

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => undefined)
  await once(socket, "connect")
  return socket
}

export async function answerOf(socket: Socket): Promise<Answer> {
  return readAnswer(await textOf(socket))
}

/** All bytes until the other side closes. */
export async function textOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on("data", (chunk: Buffer) => chunks.push(chunk))
  if (!socket.closed) await once(socket, "close")
  return Buffer.concat(chunks).toString()
}

export function readAnswer(text: string): Answer {
  const [head = "", body = ""] = text.split("\r\n\r\n")
  const [first = "", ...lines] = head.split("\r\n")
  const headers = new Headers(lines.map((line) => line.split(": ") as [string, string]))
  const length = headers.get("content-length")
  if (length !== null && Number(length) !== Buffer.byteLength(body)) throw new Error(`cut off: ${text}`)
  return { status: Number(first.split(" ")[1]), headers, json: JSON.parse(body) as Json, text }
}
