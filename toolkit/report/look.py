"""Look of the report: one style sheet for its page, for JupyterLab and for paper."""

from __future__ import annotations

__all__ = ["LOOK"]


LOOK = """
.report-page { margin: 0; color: #1a1a1a; background: #fff;
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.report-page main { max-width: 50rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
.report-page h1 { font-size: 1.6rem; line-height: 1.25; margin: .3rem 0 .4rem; }
.report-page h2 { font-size: 1.25rem; margin: 2.4rem 0 .5rem; padding-top: .6rem;
  border-top: 1px solid #d5d5d5; }
.report-page h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
.report-page p { margin: .5rem 0; }
.report-page a { color: #00558a; }
.report-page figure { margin: 1.2rem 0; }
.report-page img { display: block; max-width: 100%; height: auto; }
.report-side { display: none; }
.report-side ol, .report-contents ol { margin: .4rem 0; padding-left: 1.3rem; }
.report-side li, .report-contents li { margin: .35rem 0; line-height: 1.3; }
.report-contents { margin: .8rem 0; }
.report-said { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f4;
  padding: .5rem .8rem; }
.report-hint { display: none; }
.report-note, .report-caption { color: #4a4a4a; font-size: .9rem; }
.report-caption b { color: #1a1a1a; }
.report-words p, .report-words li, .report-words summary, .report-words bdi {
  overflow-wrap: anywhere; }
.report-table { overflow-x: auto; }
.report-box { border: 2px solid #1a1a1a; border-radius: 6px; padding: .55rem 1rem;
  margin: .6rem 0; font-size: .94rem; line-height: 1.4; }
.report-box p { margin: .3rem 0; }
.report-box .report-verdict { font-size: 1.2rem; font-weight: 700; margin: 0 0 .3rem; }
.report-box .report-missed, .report-box .report-unmeasured { color: #a33b00; }
.report-box .report-guessed { font-size: 1.1rem; font-weight: 700; color: #a33b00;
  margin: .4rem 0; }
.report-box h3, .report-page .report-box h3 { font-size: 1rem; margin: .5rem 0 .1rem; }
.report-box td:nth-child(2), .report-box td:nth-child(4) { white-space: nowrap; }
.report-box ol, .report-box ul { margin: .2rem 0 .3rem; padding-left: 1.4rem; }
.report-facts { display: grid; grid-template-columns: max-content 1fr; gap: 0 .9rem;
  margin: .3rem 0; font-size: .9rem; }
.report-facts dt { color: #4a4a4a; font-weight: 400; margin: 0; }
.report-facts dd { margin: 0; overflow-wrap: anywhere; }
.report-words dl.report-terms dt { font-weight: 700; margin-top: .5rem; }
.report-words dl.report-terms dd { margin: 0 0 0 1rem; }
.report-words dfn { font-style: italic; }
.report-words table { border-collapse: collapse; margin: .4rem 0; font-size: .9rem;
  text-align: left; width: auto; }
.report-words table th, .report-words table td { text-align: left; vertical-align: top;
  padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #e2e2e2;
  font-variant-numeric: tabular-nums; }
.report-words table th { border-bottom: 1px solid #777; }
.report-words table .report-number { text-align: right; }
.report-words table td.report-number, .report-words table .report-link {
  white-space: nowrap; }
.report-words details { margin: .5rem 0; }
.report-words summary, .report-contents summary { cursor: pointer; font-weight: 600;
  color: #00558a; }
@media (min-width: 60rem) {
  .report-page { display: grid; grid-template-columns: 13rem minmax(0, 1fr); }
  .report-side { display: block; position: sticky; top: 0; align-self: start;
    max-height: 100vh; overflow: auto; box-sizing: border-box; font-size: .9rem;
    padding: 1.3rem .5rem 1rem 1.2rem; }
  .report-page main { margin: 0; padding-left: 1.5rem; }
  .report-contents { display: none; }
}
@media (max-width: 40rem) {
  .report-page { font-size: 15px; }
  .report-page main { padding: .6rem .9rem 3rem; }
  .report-page .report-scroll { overflow-x: auto; }
  .report-page .report-scroll img { max-width: none; width: 38rem; }
  .report-page .report-hint { display: block; color: #4a4a4a; font-size: .85rem;
    margin: .2rem 0; }
  .report-page .report-facts { grid-template-columns: 6rem 1fr; }
  .report-page .report-words table, .report-page .report-words tbody,
  .report-page .report-words tr, .report-page .report-words td { display: block; }
  .report-page .report-words thead { display: none; }
  .report-page .report-words tr { border-bottom: 1px solid #777; padding: .3rem 0; }
  .report-page .report-words table td, .report-page .report-words table td.report-number {
    text-align: left; white-space: normal; overflow-wrap: anywhere; border: 0;
    padding: .1rem 0 .1rem 9rem;
    position: relative; min-height: 1.4em; }
  .report-page .report-words td::before { content: attr(data-label); position: absolute;
    left: 0; width: 8.4rem; color: #4a4a4a; }
}
@page { size: A4; margin: 16mm 15mm; }
@media print {
  .report-page { display: block; font-size: 10.5pt; line-height: 1.38; }
  .report-page main { max-width: none; padding: 0; }
  .report-page .report-side, .report-page .report-contents, .report-page .report-hint {
    display: none; }
  .report-page h1, .report-page h2, .report-page h3, .report-page h2 + p,
  .report-page summary, .report-page .report-caption { break-after: avoid; }
  .report-page h2 { margin-top: 1.4rem; }
  .report-page figure, .report-page tr, .report-page li, .report-page .report-facts {
    break-inside: avoid; }
  .report-page .report-box { break-inside: avoid; }
  .report-page p { orphans: 3; widows: 3; }
  .report-page img { max-width: 100%; max-height: 62mm; }
  .report-page details::details-content { content-visibility: visible; display: block;
    height: auto; }
  .report-page details > summary { list-style: none; color: inherit; }
  .report-page thead { display: table-header-group; }
  .report-page a { color: inherit; text-decoration: none; }
  .report-page .report-link { display: none; }
  .report-page tbody tr:first-child { break-after: avoid; }
  .report-page tbody tr:last-child { break-before: avoid; }
}
"""
