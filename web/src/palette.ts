// The colours of the console and of the people's app, from light to dark.
type Shades = [string, string, string, string, string, string, string, string, string, string]

export const indigo: Shades = [
  '#eef0fb',
  '#dde1f5',
  '#b9c0ea',
  '#929ddf',
  '#717ed6',
  '#5c6bd1',
  '#4f5fcd',
  '#3f51c6',
  '#3546a8',
  '#293783',
]
export const teal: Shades = [
  '#e6f7f5',
  '#d3ebe8',
  '#a9d8d2',
  '#7bc3ba',
  '#55b1a6',
  '#3ca699',
  '#2ba092',
  '#157a6f',
  '#0f6a60',
  '#0a554d',
]
export const slate: Shades = [
  '#f8f9fb',
  '#f1f3f6',
  '#e6e9ee',
  '#d8dce3',
  '#c3c9d3',
  '#a4abb8',
  '#7d8594',
  '#5a6271',
  '#3b4250',
  '#1f2430',
]
export const night: Shades = [
  '#d6d9e0',
  '#b4b9c4',
  '#9aa1ae',
  '#7c8493',
  '#4d5463',
  '#353b48',
  '#272c37',
  '#1d212a',
  '#161920',
  '#101217',
]
