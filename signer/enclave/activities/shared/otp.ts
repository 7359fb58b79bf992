import { FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { ActivityContext } from "../activity.ts"

/** Refuses a code that travels in clear where the organization, or its parent, has closed that way. @throws OTP_SEALED_ONLY */
export function requirePlainCodes({ hasFeature }: ActivityContext): void {
  if (!hasFeature(FeatureName.SEALED_OTP_ONLY)) return
  const sentence =
    "this organization accepts sealed codes alone: use ACTIVITY_TYPE_INIT_OTP_V3 and ACTIVITY_TYPE_VERIFY_OTP_V2"
  throw refuse("OTP_SEALED_ONLY", sentence, { field: "type" })
}
