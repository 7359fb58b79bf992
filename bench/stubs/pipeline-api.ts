// API half of the bare pipeline of G14: the hot path without any of the service's rules,
// and with switches, which the service itself must not have.
import Koa from "koa"
import { ActivityBatcher } from "../../services/api/store/activity-batcher.ts"
import { connectDatabase } from "../../services/database/database.ts"
import { TurnQueue } from "../../signer/core/turns/turn-queue.ts"
import { answerQuestions, readSettings } from "../child.ts"
import { readBody } from "./body.ts"
import { connectPipelineSigner } from "./pipeline-client.ts"
import { insertInTransaction, replyOf, rowOf } from "./row.ts"
import type { PipelineSettings } from "./settings.ts"
import type { SigningBody } from "./signing.ts"
import { isStamped } from "./stamp.ts"

const { port, databaseUrl, signerSocket, keys, write, call } = readSettings() as PipelineSettings
const sql = connectDatabase({ url: databaseUrl })
const batcher = new ActivityBatcher(sql)
const sign = connectPipelineSigner(signerSocket, call)
const turns = new TurnQueue({ perTurn: 8 })

const app = new Koa()
app.use(async (context) => {
  const body = await readBody(context.req)
  await turns.turn()
  const xStamp = context.get("x-stamp")
  if (!isStamped(xStamp, body, keys)) context.throw(401)
  const { organizationId } = JSON.parse(body.toString()) as SigningBody
  const row = rowOf(organizationId, body, await sign(body, xStamp))
  await (write === "batch" ? batcher.insert(row) : insertInTransaction(sql, row))
  context.type = "application/json"
  context.body = replyOf(row)
})
app.listen(port, "127.0.0.1", () => answerQuestions(() => undefined))
