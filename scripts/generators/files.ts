import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ROOT, run } from "../run.ts"
import { CHART, chartSchema } from "./chart.ts"
import { commandMembers } from "./command-members.ts"
import { commandReference } from "./command-reference.ts"
import { listOfChoices } from "./choices.ts"
import { orderCodecs } from "./codecs.ts"
import { publicComments, readComments } from "./comments.ts"
import { listOfDocuments } from "./documents.ts"
import { imagePackageFiles } from "./image-packages.ts"
import { activityIndex, queryIndex } from "./indexes.ts"
import { llmsText } from "./llms.ts"
import { ALERTS } from "../monitoring/alerts.ts"
import { dashboardFile } from "../monitoring/dashboard.ts"
import { rulesFile, tableOfAlerts } from "../monitoring/rules.ts"
import { stampingScriptModule } from "./stamping-script.ts"
import { tokensModule } from "./tokens.ts"
import { topWords } from "./top-words.ts"
import { tablesOfMetrics } from "./metrics.ts"
import { callIndex, keyIndex, powerIndex, pureIndexes, settingIndex } from "./module-indexes.ts"
import { listOfOperations } from "./operations.ts"
import { tableOfPowers } from "./powers.ts"
import { readingOrder } from "./reading-order.ts"
import { apiReference } from "./reference.ts"
import { listOfRefusals, refusalTexts, tableOfServiceReasons } from "./refusals.ts"
import { withRegion } from "./region.ts"

/** Every file outside proto/gen that is generated, whole or in a region: its path and its current text. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const comments = await readComments()
  const files: { [path: string]: string } = {
    ...(await imagePackageFiles()),
    "proto/codec/orders.ts": await formatted(orderCodecs()),
    "signer/enclave/modules/index.ts": await formatted(activityIndex()),
    "signer/enclave/modules/powers.ts": await formatted(powerIndex()),
    "signer/enclave/modules/calls.ts": await formatted(callIndex()),
    "signer/enclave/modules/keys.ts": await formatted(keyIndex()),
    "signer/enclave/modules/settings.ts": await formatted(settingIndex()),
    "services/cli/resources/members.ts": await formatted(commandMembers(comments)),
    "services/cli/declarations/top-words.ts": await formatted(await topWords()),
    "services/api/queries/index.ts": await formatted(queryIndex()),
    "docs/README.md": withRegion(await textOf("docs/README.md"), "documents", listOfDocuments()),
    ...(await pureModuleIndexes()),
    "docs/api.md": apiReference(comments),
    "docs/choices/README.md": withRegion(await textOf("docs/choices/README.md"), "choices", listOfChoices()),
    "docs/command-line.md": withRegion(
      await textOf("docs/command-line.md"),
      "commands",
      await commandReference(),
    ),
    "docs/organization-as-code.md": withRegion(
      await textOf("docs/organization-as-code.md"),
      "example file",
      `\`\`\`yaml\n${await textOf("examples/organization.yaml")}\`\`\`\n`,
    ),
    "docs/public/llms.txt": llmsText(),
    "docs/ERRORS.md": withRegion(
      withRegion(await textOf("docs/ERRORS.md"), "refusals", listOfRefusals(comments)),
      "reasons of the services",
      tableOfServiceReasons(),
    ),
    "services/common/errors/refusal-texts.ts": await formatted(refusalTexts(comments)),
    "services/common/openapi/comments.ts": await formatted(publicComments(comments)),
    "services/common/collection/stamping-script.ts": await formatted(await stampingScriptModule()),
    "services/common/pages/tokens.ts": await formatted(
      tokensModule(await textOf("services/dashboard/styles/tokens.css")),
    ),
    "docs/OPERATIONS.md": withRegion(
      withRegion(await textOf("docs/OPERATIONS.md"), "metrics", tablesOfMetrics()),
      "alerts",
      tableOfAlerts(ALERTS),
    ),
    "docs/monitoring/alerts.yml": rulesFile(ALERTS),
    "docs/monitoring/dashboard.json": dashboardFile(),
    "signer/README.md": withRegion(
      withRegion(await textOf("signer/README.md"), "reading order", readingOrder()),
      "powers",
      await tableOfPowers(),
    ),
    [`${CHART}/values.schema.json`]: await formatted(chartSchema(), "json"),
    "docs/clients.md": withRegion(await textOf("docs/clients.md"), "operations", listOfOperations()),
  }
  return new Map(Object.entries(files))
}

async function pureModuleIndexes(): Promise<{ [path: string]: string }> {
  const files: { [path: string]: string } = {}
  for (const [file, text] of Object.entries(pureIndexes()))
    files[`signer/core/modules/${file}`] = await formatted(text)
  return files
}

async function formatted(text: string, language: "ts" | "json" = "ts"): Promise<string> {
  const { code, output } = await run("biome", ["format", `--stdin-file-path=generated.${language}`], text)
  if (code !== 0) throw new Error(output)
  return output
}

function textOf(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8")
}
