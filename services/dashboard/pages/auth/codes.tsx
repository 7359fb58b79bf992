import { Facts, Section } from "../../ui/basics.tsx"
import { type FormField, numberOf } from "../../ui/fields.tsx"
import { duration } from "../../words/time.ts"
import { changeSettings, type ProxySettings } from "./proxy.ts"

/** Sessions, one-time codes, and what a request needs beside them. */
export function Codes({ settings }: { settings: ProxySettings }) {
  return (
    <Section
      title="Sessions and codes"
      aside={
        <button type="button" class="button tight" onClick={() => change(settings)}>
          Change
        </button>
      }
    >
      <div class="card">
        <Facts
          facts={[
            ["A session lasts", `at most ${duration(settings.sessionExpirationSeconds)}`],
            [
              "A code has",
              `${settings.otpLength} ${settings.otpAlphanumeric ? "letters and digits" : "digits"}`,
            ],
            ["A code is valid for", duration(settings.otpExpirationSeconds)],
            ["A verification token is valid for", duration(settings.verificationTokenExpirationSeconds)],
            [
              "Look-ups by contact",
              settings.verificationTokenRequiredForGetAccountPii
                ? "need proof of the contact"
                : "need no proof: anybody can ask whether a contact has an account",
            ],
            ["Captcha", settings.captchaEnabled ? "needed for codes and sign-ups" : "not needed"],
          ]}
        />
      </div>
    </Section>
  )
}

const NUMBERS: readonly (readonly [name: NumberName, label: string, hint: string])[] = [
  ["sessionExpirationSeconds", "Session length, seconds", "By default 900 seconds, which are 15 minutes."],
  ["otpLength", "Code length", "6 to 9 characters."],
  [
    "otpExpirationSeconds",
    "Code lifetime, seconds",
    "60 to 600. By default 300 seconds, which are 5 minutes.",
  ],
  [
    "verificationTokenExpirationSeconds",
    "Lifetime of a verification token, seconds",
    "At most 86400. By default 3600 seconds, which are 1 hour. A sign-up or login has to follow the code within it.",
  ],
]

type NumberName =
  | "sessionExpirationSeconds"
  | "otpLength"
  | "otpExpirationSeconds"
  | "verificationTokenExpirationSeconds"

const SWITCHES: readonly (readonly [name: SwitchName, label: string, hint: string])[] = [
  [
    "otpAlphanumeric",
    "Codes have letters",
    "Letters and digits are harder to guess; digits are easier to type.",
  ],
  [
    "verificationTokenRequiredForGetAccountPii",
    "Look-ups by contact need proof of the contact",
    "Without it, anybody can ask whether an address has an account.",
  ],
  ["captchaEnabled", "Codes and sign-ups need a captcha", "The auth proxy’s operator sets its keys."],
]

type SwitchName = "otpAlphanumeric" | "verificationTokenRequiredForGetAccountPii" | "captchaEnabled"

function change(settings: ProxySettings): void {
  const fields: FormField[] = [
    ...NUMBERS.map(([name, label, hint]) => ({
      name,
      label,
      hint,
      kind: "number" as const,
      initial: String(settings[name]),
    })),
    ...SWITCHES.map(([name, label, hint]) => ({
      name,
      label,
      hint,
      kind: "check" as const,
      initial: settings[name],
    })),
  ]
  changeSettings({
    title: "Change sessions and codes",
    fields,
    parameters: (values) => ({
      ...Object.fromEntries(NUMBERS.map(([name]) => [name, numberOf(values, name)])),
      ...Object.fromEntries(SWITCHES.map(([name]) => [name, values[name] === true])),
    }),
  })
}
