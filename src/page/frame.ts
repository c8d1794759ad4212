import type { Config } from '../config/config.ts';
import { printable } from '../printable.ts';
import type { HealthState } from '../report/health.ts';
import { foreign, html, type Markup } from './html.ts';
import type { Times } from './page_figures.ts';

/** A document to send. */
export interface PageDocument {
  readonly body: string;
  /** The content type. The default is HTML. */
  readonly type?: string;
  /** The file name that a browser suggests when it saves the document. */
  readonly fileName?: string;
}

/** The settings and the time with which every page is drawn. */
export interface PageContext {
  readonly config: Config;
  /** The reader's time zone, and the time at which the page is drawn. */
  readonly times: Times;
}

interface PageContent {
  /** The title, to which the registry's name is added. */
  readonly title: string;
  /** The search field's content. */
  readonly query?: string;
  /** When the page was drawn; present only if it updates without a reload. */
  readonly drawnAt?: string;
  readonly icon?: HealthState;
  readonly main: Markup;
}

/** Builds a page's HTML document. It loads nothing from other hosts and has no inline script or style. */
export function pageDocument(
  { config: { source }, times: { zone } }: PageContext,
  { title, query = '', drawnAt, icon = 'healthy', main }: PageContent,
): PageDocument {
  const document = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${printable(`${title} – ${source.name}`)}</title>
<link rel="icon" href="/page/icon-${icon}.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page/simple.css">
<link rel="stylesheet" href="/page/page.css">
<script type="module" src="/page/page.js"></script>
</head>
<body data-zone="${zone}"${drawnAt !== undefined && html` data-drawn="${drawnAt}"`}>
<a class="skip" href="#main">Skip to the content</a>
<p id="lost" role="alert" hidden></p>
<header>
<strong><a href="/">${foreign(source.name)}</a></strong>
<nav aria-label="Main"><a href="/">Overview</a> <a href="/page/changes">Changes</a></nav>
<form role="search" action="/page/search" method="get">
<label for="q" class="unseen">Search companies by name or identifier</label>
<input id="q" name="q" type="search" placeholder="Name or identifier" value="${query}" autocomplete="off" spellcheck="false" maxlength="200">
<button>Search</button>
</form>
</header>
<div id="found" aria-live="polite"></div>
<main id="main" tabindex="-1">${main}</main>
<footer><p>${foreign(source.name)}${source.url !== null && html`, <span>${foreign(source.url)}</span>`}. Mirrored by registry-mirror. Times in ${zone}.</p></footer>
</body>
</html>
`;
  return { body: document.markup };
}
