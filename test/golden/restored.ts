import { createPrivateKey, createPublicKey } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { Test } from "tap"
import { ApiClient } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { TestClock } from "../harness/clock.ts"
import type { TestKey } from "../harness/stamper.ts"
import type { GoldenState } from "./state.ts"

type Golden = Pick<GoldenState, "dangerouslyRevealedFiles" | "nowMs" | "documents" | "records">

/** A signer on a copy of the golden data directory, and the API tier with the golden documents and records. */
export async function restored(t: Test, golden: Golden, settings: { [name: string]: string } = {}) {
  const boundary = new InProcessBoundary(new TestClock(golden.nowMs), settings)
  t.teardown(() => boundary.close())
  await boundary.signer.close()
  for (const [path, packed] of Object.entries(golden.dangerouslyRevealedFiles)) {
    const target = join(boundary.directory, "signer", path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, gunzipSync(Buffer.from(packed, "base64")), { mode: 0o600 })
  }
  await boundary.restart()
  const client = new ApiClient(boundary)
  for (const [id, hex] of Object.entries(golden.documents)) client.documents.set(id, Buffer.from(hex, "hex"))
  for (const [id, hex] of Object.entries(golden.records)) client.records.set(id, Buffer.from(hex, "hex"))
  return { boundary, client }
}

/** A private key from PEM. */
export function keyOf(pem: string): TestKey {
  const privateKey = createPrivateKey(pem)
  const { x = "", y = "" } = createPublicKey(privateKey).export({ format: "jwk" })
  const odd = (Buffer.from(y, "base64url").at(-1)! & 1) === 1
  return { privateKey, publicKeyHex: (odd ? "03" : "02") + Buffer.from(x, "base64url").toString("hex") }
}
