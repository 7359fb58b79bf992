import { create } from "@bufbuild/protobuf"
import { randomBytes } from "node:crypto"
import {
  OperatorService,
  PrepareActRequestSchema,
} from "../../../proto/gen/countersign/signer/v1/operator_pb.ts"
import { ACT_NONCE_LENGTH, readActText, writeActText } from "../../core/holder-acts/act-text.ts"
import type { HolderAct } from "../../core/holder-acts/acts.ts"
import { refuse } from "../../core/refusal.ts"
import type { SealedFile } from "../../core/sealed-seed/format.ts"
import { holdersOf } from "../../core/sealed-seed/holders.ts"
import type { SignerConfig } from "../../enclave/config.ts"
import { exportAct, requireSealedAuthority } from "../ceremony/export-authority.ts"
import { keysOf, sharesAct } from "../ceremony/ceremony.ts"
import { productionAct, readSealed, witnessesAct } from "../ceremony/change-file.ts"
import type { CommandResult } from "../command-result.ts"
import { withService } from "../../process/socket-client.ts"
import type { PrepareCommand } from "./commands.ts"

/** Time for approvals when the operator names none. */
const USUAL_SECONDS = 4 * 60 * 60

/** The text of an act: of one that the running signer does, by the signer; of one over the sealed file, here. */
export async function prepare(
  command: PrepareCommand & { waitSeconds: number },
  config: SignerConfig,
): Promise<CommandResult> {
  switch (command.act) {
    case "accept-clock":
      return bySigner({ case: "acceptClock", value: {} }, command, config)
    case "accept-ledger":
      return bySigner({ case: "acceptLedger", value: { restored: command.restored } }, command, config)
    case "setup-code": {
      const { publicKey, expirationSeconds } = command
      return bySigner({ case: "setupCode", value: { publicKey, expirationSeconds } }, command, config)
    }
    case "change-shares": {
      const sealed = readSealed(config)
      return here(sharesAct(command, sealed, keysOf(command, sealed)), sealed, command)
    }
    case "change-witnesses": {
      const sealed = readSealed(config)
      return here(witnessesAct(config.witnesses, sealed), sealed, command)
    }
    case "export-authority":
      return here(exportAct(requireSealedAuthority(config)), readSealed(config), command)
    case "leave-production": {
      const sealed = readSealed(config)
      return here(productionAct(sealed), sealed, command)
    }
    default:
      return command.act satisfies never
  }
}

type ActRequest = Parameters<typeof create<typeof PrepareActRequestSchema>>[1] extends infer Init
  ? Init extends { act?: infer Case }
    ? Case
    : never
  : never

function bySigner(
  act: NonNullable<ActRequest>,
  { withinSeconds, waitSeconds }: { withinSeconds: number; waitSeconds: number },
  { operatorSocket }: SignerConfig,
): Promise<CommandResult> {
  return withService(OperatorService, operatorSocket, waitSeconds, async ({ prepareAct }) => {
    const { text } = await prepareAct(
      create(PrepareActRequestSchema, { act, expirationSeconds: withinSeconds }),
    )
    return resultOf(text)
  })
}

function here(act: HolderAct, { header }: SealedFile, { withinSeconds }: PrepareCommand): CommandResult {
  const holders = holdersOf(header)
  if (holders === undefined)
    throw refuse(
      "HOLDERS_ABSENT",
      `no holders are enrolled, so ${act.name} needs shares alone: run it. To enroll holders: countersign-signer change-holders`,
    )
  const lastsMs = (withinSeconds || USUAL_SECONDS) * 1000
  const terms = { nonce: randomBytes(ACT_NONCE_LENGTH), expiresAtMs: Date.now() + lastsMs }
  return resultOf(Buffer.from(writeActText(act, holders, terms)))
}

/** The text goes to a file by redirection, so it is printed as it is: its last line end is the terminal's. */
function resultOf(bytes: Uint8Array): CommandResult {
  const { text, expiresAtMs } = readActText(bytes)
  return {
    lines: text.slice(0, -1).split("\n"),
    json: { text, expiresAt: new Date(expiresAtMs).toISOString() },
  }
}
