import type { Command } from "commander"
import { clientOf, findStampingKey, type StampOptions } from "../api-options.ts"
import { as, type CommandContext, common, examples } from "./options.ts"

/** `doctor`. */
export function addDoctorCommand(program: Command, { settings, terminal }: CommandContext): void {
  const command = program
    .command("doctor")
    .description(
      "check what commands rely on: the API, the clock, the pins, the key and its user, the API's certificates, and a dashboard that is configured",
    )
  examples(as(common(command)), ["doctor", "doctor --profile acme --json"]).action(
    async (options: StampOptions) => {
      const present = settings()
      const { doctor } = await import("../commands/doctor.ts")
      const findKey = async () => ({
        ...(await findStampingKey(options, present)),
        keysFolder: options.keysFolder ?? present.keysFolder,
      })
      await doctor({ url: clientOf(options, present).url, settings: present, findKey }, options, terminal)
    },
  )
}
