import { requireUser, setEmail } from "../organization/users.ts"
import type { Activity } from "./activity.ts"
import { refuseVerificationToken } from "./shared/users.ts"

export const updateUserEmail: Activity<"updateUserEmail"> = {
  run({ userId, userEmail, verificationToken }, { organization }) {
    refuseVerificationToken(verificationToken)
    const user = requireUser(organization, userId, "parameters.userId")
    setEmail(organization, user, userEmail)
    return { userId }
  },
}
