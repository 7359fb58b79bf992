import { create } from "@bufbuild/protobuf"
import { CreateVelocityControlIntentSchema } from "../../../proto/gen/countersign/api/v1/intents/policies_pb.ts"
import {
  type OrganizationDocument,
  type VelocityControl,
  VelocityControlSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { ReadFault, readMessage } from "../../../proto/read.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import {
  controlOf,
  readTerms,
  requireTransfers,
} from "../../../signer/core/modules/policies/velocity/control.ts"
import type { BucketReader } from "../../../signer/core/modules/policies/velocity/counting.ts"
import { requireIdentifier } from "../../../signer/core/modules/policies/velocity/identifier.ts"
import { withData } from "../../../signer/core/modules/policies/velocity/window.ts"
import { usage } from "../../terminal-client/exit.ts"
import type { TestCase, TestOrganization } from "./test-file.ts"

/** Velocity controls of a test file, by the rules of create_velocity_control. @throws {CliError} usage */
export function controlsOf({
  velocityControls,
}: Pick<TestOrganization, "velocityControls">): VelocityControl[] {
  return velocityControls.map((given, index) => {
    const at = `organization.velocityControls[${index}]`
    try {
      const whole = { name: given["identifier"], ...given }
      const { message } = readMessage(CreateVelocityControlIntentSchema, whole, at)
      const { name, identifier, ...terms } = message
      requireIdentifier(identifier, `${at}.identifier`)
      readTerms(terms, at)
      requireTransfers(terms, at)
      if (velocityControls.findIndex((other) => other["identifier"] === identifier) < index)
        throw usage(`${at}.identifier: "${identifier}" is taken`)
      const { dataSource, aggregation } = terms
      return create(VelocityControlSchema, {
        velocityControlId: identifier,
        name,
        identifier,
        ...(dataSource && { dataSource }),
        ...(aggregation && { aggregation }),
      })
    } catch (cause) {
      if (cause instanceof Refusal || cause instanceof ReadFault) throw usage(cause.message, { cause })
      throw cause
    }
  })
}

/** The count of each control before a case, the same in every bucket. @throws {CliError} usage */
export function countedBefore(
  { name, counted }: Pick<TestCase, "name" | "counted">,
  { velocityControls }: OrganizationDocument,
  nowMs: number,
): BucketReader {
  const buckets = new Map(
    Object.entries(counted).map(([identifier, amount]) => {
      const found = velocityControls.find((one) => one.identifier === identifier)
      if (found === undefined) throw usage(`case "${name}": there is no velocity control ${identifier}`)
      const control = controlOf(found)
      return [control.id, withData(control, [], inUnits(amount, control.scale), nowMs)]
    }),
  )
  return (controlId) => buckets.get(controlId) ?? []
}

/** Units of 10^-scale. */
function inUnits(amount: string, scale: number): bigint {
  const [whole = "0", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0"))
}
