// The store of one-time codes, in a process of its own: sizes of its file and of the process with many live codes.
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { create } from "@bufbuild/protobuf"
import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  CodeFlow,
  CodeMessageSchema,
  FetchOrderSchema,
  StartCodeTaskSchema,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { Secret } from "../../signer/core/crypto/secret.ts"
import type { CodeContext } from "../../signer/fetcher/codes/context.ts"
import { startCode } from "../../signer/fetcher/codes/start-code.ts"
import { CodeStore } from "../../signer/fetcher/codes/store.ts"
import { deliveryOf } from "../../signer/fetcher/delivery/delivery.ts"
import { identityOf } from "../../signer/fetcher/identity.ts"
import { answerQuestions } from "../child.ts"

export type LiveCodesQuestion = { codes: number }

/** Bytes of the store's files and of the heap after collection. */
export type StoreSize = { fileBytes: number; heapBytes: number }

export type LiveCodesAnswer = {
  codes: number
  secondsToStart: number
  empty: StoreSize
  /** With all codes live. */
  live: StoreSize
  /** An hour later, after a purge: what is left counts the codes of each contact for the rest of its day. */
  purged: StoreSize
  /** A day later, after a purge. */
  dayLater: StoreSize
}

const HOUR_MS = 60 * 60_000
const DAY_MS = 24 * HOUR_MS
const LIFETIME_SECONDS = 300
const ORGANIZATION = "019a0000-0000-7000-8000-000000000000"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

answerQuestions(async ({ codes }: LiveCodesQuestion): Promise<LiveCodesAnswer> => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-bench-codes-"))
  const file = join(directory, "codes.sqlite")
  const { keySet, codeKeys: keys } = identityOf(Secret.moveFrom(randomBytes(32)))
  let store = CodeStore.open(file, keys.store)
  try {
    let nowMs = Date.now()
    const taken = { send: async () => undefined }
    const common = { keys, keySet, delivery: deliveryOf(taken, taken), sandboxContacts: false }
    const context = (): CodeContext => ({
      ...common,
      store,
      nowMs: () => nowMs,
      random: (length) => randomBytes(length),
      orderRow: { kind: "order", key: randomBytes(16), expiresMs: nowMs + 120_000, value: randomBytes(32) },
    })
    const measure = () => {
      store.close() // moves the write-ahead log into the database
      store = CodeStore.open(file, keys.store)
      return sizeOf(file)
    }
    const later = (ms: number) => {
      nowMs += ms
      store.purge(nowMs)
      return measure()
    }
    const empty = measure()
    const begin = performance.now()
    for (let number = 0; number < codes; number++) await start(number, context())
    const secondsToStart = (performance.now() - begin) / 1000
    const live = measure()
    return { codes, secondsToStart, empty, live, purged: later(HOUR_MS), dayLater: later(DAY_MS) }
  } finally {
    store.close()
    rmSync(directory, { recursive: true, force: true })
  }
})

/** A code for another contact each time, sealed as published clients ask for it. */
async function start(number: number, context: CodeContext): Promise<void> {
  const order = create(FetchOrderSchema, { id: randomBytes(16), organizationId: ORGANIZATION })
  const task = create(StartCodeTaskSchema, {
    activityFingerprint: randomBytes(32),
    parentId: ORGANIZATION,
    flow: CodeFlow.VERIFICATION,
    isSealed: true,
    channel: OtpType.EMAIL,
    contact: `customer-${number}@bench.example`,
    length: 6,
    lifetimeSeconds: LIFETIME_SECONDS,
    message: create(CodeMessageSchema, { appName: "Bench" }),
  })
  await startCode(order, task, context)
}

function sizeOf(file: string): StoreSize {
  collect()
  return { fileBytes: statSync(file).size, heapBytes: process.memoryUsage().heapUsed }
}
