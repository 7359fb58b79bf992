import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { Test } from "tap"
import { readAddCheckpoint } from "../../signer/core/log/add-checkpoint.ts"
import { readNote, signNote, writeSignatureLine } from "../../signer/core/log/note.ts"
import { type NoteSigner, writeNoteKey } from "../../signer/core/log/note-key.ts"
import { newWitnessKey } from "./witness-keys.ts"

/** A reply of a witness; "silence": none comes. */
export type ScriptedReply = { status: number; text: string } | "silence"

/** A cosignature of the checkpoint in a request to add it, whatever the witness knows. */
export function cosign(body: Uint8Array, by: NoteSigner): ScriptedReply {
  const { text = "" } = readNote(readAddCheckpoint(body)?.note ?? new Uint8Array(0)) ?? {}
  return { status: 200, text: writeSignatureLine(signNote(by, text, Math.floor(Date.now() / 1000))) }
}

/** A witness over HTTP that answers as the test says. At first it cosigns whatever it is asked, as one that lies. */
export class ScriptedWitness {
  readonly signer: NoteSigner
  readonly key: string
  readonly url: string
  answer: (body: Uint8Array) => ScriptedReply
  /** The head that it says it cosigned; undefined: it serves none. */
  head: Uint8Array | undefined

  private constructor(signer: NoteSigner, url: string) {
    this.signer = signer
    this.key = writeNoteKey(signer.key)
    this.url = url
    this.answer = (body) => cosign(body, signer)
  }

  static async start(t: Test, name: string): Promise<ScriptedWitness> {
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      if (request.method === "GET")
        return void response.writeHead(witness.head === undefined ? 404 : 200).end(witness.head)
      const reply = witness.answer(await buffer(request))
      if (reply !== "silence") response.writeHead(reply.status).end(reply.text)
    }
    const server = createServer((...exchange) => void answer(...exchange).catch(() => undefined))
    server.listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const witness = new ScriptedWitness(newWitnessKey(name), url)
    return witness
  }
}
