import { openChange } from "../../ui/change.tsx"
import { type FormField, linesOf, textOf, textsOf, type FormValues } from "../../ui/fields.tsx"
import { introOfCopy } from "./unchanging.tsx"
import {
  COUNT,
  type DataSource,
  GROUPS,
  groupOf,
  limitOf,
  OPERATORS,
  refusesUnknown,
  SUM,
  typesOf,
  UNKNOWN_AMOUNTS,
  type VelocityControl,
} from "./velocity-terms.ts"

/** @param model control whose members the form begins with */
export function createVelocityControl(model?: VelocityControl): void {
  openChange({
    title: "Create velocity control",
    verb: "Create control",
    type: "ACTIVITY_TYPE_CREATE_VELOCITY_CONTROL",
    ...introOfCopy(
      model &&
        `A control never changes, and a new one counts from now on. Let conditions read the new one, then delete ${model.name}.`,
    ),
    fields: fieldsOf(model),
    preview: (values) => <p class="quiet">True while {limitOf(termsOf(values))}.</p>,
    parameters: (values) => ({ ...textsOf(values, "name", "identifier"), ...termsOf(values) }),
  })
}

function fieldsOf(model: VelocityControl | undefined): FormField[] {
  return [
    { name: "name", label: "Name", initial: model ? `${model.name} 2` : "" },
    {
      name: "identifier",
      label: "Identifier",
      code: true,
      initial: model ? `${model.identifier}_2` : "",
      placeholder: "ether_of_a_day",
      hint: "Conditions of policies read controls.IDENTIFIER: letters, digits and _.",
    },
    ...countedFields(model?.dataSource ?? {}),
    ...limitFields(model?.aggregation),
  ]
}

/** Fields for the transfers or activities that the control counts. */
function countedFields(dataSource: DataSource): FormField[] {
  const transfers = dataSource.chainAssetTransfer?.definition ?? []
  return [
    {
      name: "assets",
      label: "Assets whose transfers count",
      kind: "area",
      code: true,
      rows: 3,
      path: "dataSource",
      initial: transfers.map(({ caip19, decimals }) => `${caip19} ${decimals}`).join("\n"),
      placeholder: "eip155:1/slip44:60 18",
      hint: "One a line: CAIP-19 asset type, then its decimals. None: whole activities count.",
    },
    {
      name: "unknownAmount",
      label: "Calls whose amount is not known",
      kind: "select",
      path: "dataSource.chainAssetTransfer.unknownAmount",
      options: UNKNOWN_AMOUNTS,
      initial: refusesUnknown(dataSource) ? (UNKNOWN_AMOUNTS[1]?.value ?? "") : "",
      hint: "Such as functions of a listed token that are not known. For transfers alone.",
    },
    {
      name: "types",
      label: "Types of activities that count (optional)",
      kind: "area",
      code: true,
      rows: 2,
      initial: typesOf(dataSource).join("\n"),
      placeholder: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
      hint: "One a line. None: all.",
    },
  ]
}

/** The number that the control limits, and its limit. */
function limitFields(aggregation: VelocityControl["aggregation"] | undefined): FormField[] {
  return [
    {
      name: "method",
      label: "Number",
      kind: "select",
      path: "aggregation.method",
      options: [
        { value: SUM, label: "Sum of the amounts" },
        { value: COUNT, label: "Number of transfers or activities" },
      ],
      initial: aggregation?.method ?? SUM,
    },
    {
      name: "operator",
      label: "Comparison",
      kind: "select",
      path: "aggregation.operator",
      options: OPERATORS,
      initial: aggregation?.operator ?? OPERATORS[0]?.value ?? "",
    },
    {
      name: "threshold",
      label: "Threshold",
      code: true,
      path: "aggregation.threshold",
      initial: aggregation?.threshold ?? "",
      placeholder: "1.5",
    },
    {
      name: "duration",
      label: "Window, seconds",
      kind: "number",
      path: "aggregation.window",
      initial: aggregation ? (aggregation.window.rolling?.duration ?? "") : "86400",
      hint: "Empty: for all time.",
    },
    {
      name: "groupBy",
      label: "Counted for",
      kind: "select",
      path: "aggregation.groupBy",
      options: GROUPS,
      initial: aggregation ? groupOf(aggregation) : "organization",
    },
  ]
}

function termsOf(values: FormValues): Pick<VelocityControl, "dataSource" | "aggregation"> {
  const seconds = textOf(values, "duration")
  return {
    dataSource: sourceOf(values),
    aggregation: {
      method: textOf(values, "method"),
      operator: textOf(values, "operator"),
      threshold: textOf(values, "threshold"),
      window: seconds === "" ? { infinite: {} } : { rolling: { duration: seconds } },
      groupBy: { [textOf(values, "groupBy")]: {} },
    },
  }
}

function sourceOf(values: FormValues): DataSource {
  const types = linesOf(values, "types").map((activityType) => ({ activityType }))
  const filter = types.length > 0 ? { filter: { activity: types } } : {}
  const definition = linesOf(values, "assets").map((line) => {
    const [caip19 = "", decimals = ""] = line.split(/\s+/)
    return { caip19, decimals }
  })
  if (definition.length === 0) return { activityExecution: filter }
  const unknownAmount = textOf(values, "unknownAmount")
  return { chainAssetTransfer: { definition, ...filter, ...(unknownAmount !== "" && { unknownAmount }) } }
}
