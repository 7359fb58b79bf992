import { readBase64url } from "../../signer/core/encodings.ts"
import { commandText } from "../../signer/core/command-text.ts"
import { fromBinary } from "@bufbuild/protobuf"
import { type SetupCode, SetupCodeSchema } from "../../proto/gen/countersign/state/v1/setup_pb.ts"
import { CliError, ExitCode, usage } from "./exit.ts"

/**
 * Reads a setup code without verifying its MAC, which only the signer can. The operator who hands over the code is
 * trusted; the API is checked against it.
 */
export function readSetupCode(text: string, nowMs: number): SetupCode {
  const code = decode(text.trim())
  if (!code || !/^0[23][0-9a-f]{64}$/i.test(code.publicKey) || code.pinsDigest.length !== 32) {
    throw usage(`not a setup code. ${howToGetOne("PUBLIC_KEY")}`)
  }
  if (Number(code.expiresAtMs) <= nowMs) {
    const when = new Date(Number(code.expiresAtMs)).toISOString()
    throw new CliError(ExitCode.refused, `the setup code expired at ${when}. ${howToGetOne(code.publicKey)}`)
  }
  return code
}

function decode(text: string): SetupCode | undefined {
  const bytes = readBase64url(text)
  if (bytes === undefined || bytes.length === 0) return undefined
  try {
    return fromBinary(SetupCodeSchema, bytes)
  } catch {
    return undefined
  }
}

/** Without `npx`, which a release replaces by the path of this machine's program. */
function howToGetOne(publicKey: string): string {
  return commandText`On the signer's host: countersign-signer setup-code --for ${publicKey}`
}
