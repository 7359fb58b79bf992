import { execFileSync } from "node:child_process"
import { join } from "node:path"
import t from "tap"
import { fromJson } from "@bufbuild/protobuf"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { pinsDigest } from "../../../signer/core/proof/verify/trusted-pins.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { newKeySet } from "../../harness/fetcher.ts"
import { commandLine } from "./command-line.ts"
import { readQr } from "./read-qr.ts"

const PINS = {
  deploymentId: "aaaaaaaa-0000-4000-8000-00000000000b",
  signerPublicKey: newKeySet().publicHex,
  notarizerPublicKey: newKeySet().publicHex,
}
const DIGEST = pinsDigest(fromJson(PinsSchema, PINS))
const BORDER = 2

t.test("pins show --qr draws a code that another program reads as the digest", async (t) => {
  const COUNTERSIGN_DATA_DIR = t.testdir({ "pins.json": JSON.stringify(PINS) })
  const { status, out, log } = await commandLine({ COUNTERSIGN_DATA_DIR }, "pins", "show", "--qr", "--json")
  t.equal(status, 0)
  t.strictSame(JSON.parse(out), { digest: DIGEST, pins: PINS })
  t.equal(readQr(log.split("\n"), BORDER), `sha256:${DIGEST}`)
  const plain = await commandLine({ COUNTERSIGN_DATA_DIR }, "pins", "show", "--json")
  t.match(plain, { status: 0, out, log: "" })
})

t.test("pins show reads what countersign-signer pins --json prints from standard input", async (t) => {
  const words = [join(packageRoot, "services/cli/main.ts"), "pins", "show", "--pins", "-", "--json"]
  const env = { PATH: process.env["PATH"], COUNTERSIGN_DATA_DIR: t.testdir() }
  const out = execFileSync(process.execPath, words, { env, input: JSON.stringify(PINS) }).toString()
  t.strictSame(JSON.parse(out), { digest: DIGEST, pins: PINS })
})
