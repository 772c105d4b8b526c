// The country code that a phone number is likely to begin with, by the region of the browser's language.
const codes: Record<string, string> = {
  AE: '971',
  AU: '61',
  BD: '880',
  BH: '973',
  CA: '1',
  DE: '49',
  DZ: '213',
  EG: '20',
  ET: '251',
  FR: '33',
  GB: '44',
  GH: '233',
  ID: '62',
  IN: '91',
  IQ: '964',
  JO: '962',
  KE: '254',
  KW: '965',
  LB: '961',
  LK: '94',
  LY: '218',
  MA: '212',
  MY: '60',
  MZ: '258',
  NG: '234',
  NP: '977',
  NZ: '64',
  OM: '968',
  PH: '63',
  PK: '92',
  QA: '974',
  RW: '250',
  SA: '966',
  SD: '249',
  SG: '65',
  SO: '252',
  TN: '216',
  TZ: '255',
  UG: '256',
  US: '1',
  YE: '967',
  ZA: '27',
  ZM: '260',
  ZW: '263',
}

export function likelyCode(): string {
  for (const language of navigator.languages) {
    const code = codes[new Intl.Locale(language).region ?? '']
    if (code) return `+${code} `
  }
  return '+'
}
