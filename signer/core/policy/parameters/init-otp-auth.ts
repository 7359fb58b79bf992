import { int } from "../language/types.ts"
import type { ShownByType } from "./shown-parameters.ts"

const initOtpAuth = { fields: { otp_length: int } }

export const parameters: ShownByType = { INIT_OTP_AUTH_V2: initOtpAuth, INIT_OTP_AUTH_V3: initOtpAuth }
