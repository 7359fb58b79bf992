// Floor of G5: everything in one process that holds the key and the database, with one check of the stamp. Unlike the service
// it lacks the boundary, and all that the signer does to be sure of its state.
import Koa from "koa"
import { ActivityBatcher } from "../../services/api/store/activity-batcher.ts"
import { connectDatabase } from "../../services/database/database.ts"
import { TurnQueue } from "../../signer/core/turns/turn-queue.ts"
import { answerQuestions, readSettings } from "../child.ts"
import { readBody } from "./body.ts"
import { replyOf, rowOf } from "./row.ts"
import type { StubSettings } from "./settings.ts"
import { type SigningBody, signPayload } from "./signing.ts"
import { isStamped } from "./stamp.ts"

const { port, databaseUrl } = readSettings() as StubSettings
const batcher = new ActivityBatcher(connectDatabase({ url: databaseUrl }))
const turns = new TurnQueue({ perTurn: 8 })

const app = new Koa()
app.use(async (context) => {
  const body = await readBody(context.req)
  await turns.turn()
  if (!isStamped(context.get("x-stamp"), body, "cached")) context.throw(401)
  const { organizationId, parameters } = JSON.parse(body.toString()) as SigningBody
  const row = rowOf(organizationId, body, signPayload(parameters.payload))
  await batcher.insert(row)
  context.type = "application/json"
  context.body = replyOf(row)
})
app.listen(port, "127.0.0.1", () => answerQuestions(() => undefined))
