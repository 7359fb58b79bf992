import { requireUser, setPhoneNumber } from "../organization/users.ts"
import type { Activity } from "./activity.ts"
import { refuseVerificationToken } from "./shared/users.ts"

export const updateUserPhoneNumber: Activity<"updateUserPhoneNumber"> = {
  run({ userId, userPhoneNumber, verificationToken }, { organization }) {
    refuseVerificationToken(verificationToken)
    const user = requireUser(organization, userId, "parameters.userId")
    setPhoneNumber(organization, user, userPhoneNumber)
    return { userId }
  },
}
