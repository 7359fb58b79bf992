// The package has no types. These are the parts that the tests read.
declare module "parse-prometheus-text-format" {
  export type Family = {
    name: string
    help: string
    type: "COUNTER" | "GAUGE" | "HISTOGRAM" | "SUMMARY" | "UNTYPED"
    metrics: {
      value?: string
      labels?: Record<string, string>
      buckets?: Record<string, string>
      count?: string
      sum?: string
    }[]
  }
  export default function parse(text: string): Family[]
}
