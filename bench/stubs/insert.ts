// Floor of G4 and G6: node:http and one INSERT a request; no stamp is looked at, nothing is signed.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { connectDatabase } from "../../services/database/database.ts"
import { answerQuestions, readSettings } from "../child.ts"
import { readBody } from "./body.ts"
import { insertOne, replyOf, rowOf } from "./row.ts"
import type { StubSettings } from "./settings.ts"
import type { SigningBody } from "./signing.ts"

const { port, databaseUrl } = readSettings() as StubSettings
const sql = connectDatabase({ url: databaseUrl })
const NO_SIGNATURE = { r: "0".repeat(64), s: "0".repeat(64), v: "00" }

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request)
  const { organizationId } = JSON.parse(body.toString()) as SigningBody
  const row = rowOf(organizationId, body, NO_SIGNATURE)
  await insertOne(sql, row)
  const reply = replyOf(row)
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(reply) })
  response.end(reply)
}

createServer((request, response) => void serve(request, response)).listen(port, "127.0.0.1", () =>
  answerQuestions(() => undefined),
)
