// Rates of the bare libraries on this machine, on one core. Runs in its own process.
import { createHash, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import libsecp256k1 from "secp256k1/bindings.js"
import { answerQuestions } from "./child.ts"
import type { AnchorName } from "./series.ts"

export type AnchorQuestion = { name: AnchorName; seconds: number }
/** `cpuUs`: CPU time of one operation, which other processes disturb less than the rate. */
export type AnchorAnswer = { perSecond: number; cpuUs: number }

const digest = createHash("sha256").update("a digest to sign").digest()
const secret = Uint8Array.from(randomBytes(32).fill(1, 0, 1))
const stampKey = generateKeyPairSync("ec", { namedCurve: "P-256" })
/** As long as the body of a signing request. */
const body = randomBytes(360)
const stampSignature = sign("sha256", body, stampKey.privateKey)

// A bare key and DER: an options object with another encoding makes node:crypto a third slower.
const operations: Readonly<Record<AnchorName, () => unknown>> = {
  "noble-sign": () => secp256k1.sign(digest, secret, { prehash: false }),
  "libsecp256k1-sign": () => libsecp256k1.ecdsaSign(digest, secret),
  "p256-verify": () => verify("sha256", body, stampKey.publicKey, stampSignature),
}

/** Between two readings of the clock. */
const CHUNK = 32

answerQuestions(({ name, seconds }: AnchorQuestion): AnchorAnswer => {
  const operation = operations[name]
  const start = performance.now()
  const startCpu = process.cpuUsage()
  const end = start + seconds * 1000
  let count = 0
  do {
    for (let index = 0; index < CHUNK; index++) operation()
    count += CHUNK
  } while (performance.now() < end)
  const { user, system } = process.cpuUsage(startCpu)
  return { perSecond: (count * 1000) / (performance.now() - start), cpuUs: (user + system) / count }
})
