import type { ComponentChildren } from 'preact';
import type { Block, Inline, Target } from '../../../../../scripts/guides/guide.ts';
import { hrefOf } from '../../route.ts';

export function guideHref(name: string, at?: string): string {
  const parts = name.split('/').filter((part) => part !== '');
  return hrefOf(['guides', ...parts], at === undefined ? {} : { at });
}

function Leading({ to, children }: { readonly to: Target; children: ComponentChildren }) {
  if (to.kind === 'guide') return <a href={guideHref(to.name, to.at)}>{children}</a>;
  if (to.kind === 'address') {
    return (
      <a href={to.url} rel="noreferrer">
        {children}
      </a>
    );
  }
  return <span title={`${to.path}, in the sources`}>{children}</span>;
}

function Part({ of }: { readonly of: Inline }) {
  if (typeof of === 'string') return <>{of}</>;
  switch (of.kind) {
    case 'code':
      return <code>{of.text}</code>;
    case 'strong':
      return (
        <b>
          <Parts of={of.parts} />
        </b>
      );
    case 'em':
      return (
        <em>
          <Parts of={of.parts} />
        </em>
      );
    case 'link':
      return (
        <Leading to={of.to}>
          <Parts of={of.parts} />
        </Leading>
      );
  }
}

function Parts({ of }: { readonly of: readonly Inline[] }) {
  return (
    <>
      {of.map((part, index) => (
        <Part of={part} key={index} />
      ))}
    </>
  );
}

type TableBlock = Extract<Block, { kind: 'table' }>;

function Table({ head, rows }: TableBlock) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="A table">
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index}>
                <Parts of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Parts of={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading({ depth, anchor, parts }: Extract<Block, { kind: 'heading' }>) {
  const Name = `h${Math.min(depth, 4)}` as 'h1' | 'h2' | 'h3' | 'h4';
  return (
    <Name id={`at-${anchor}`} tabIndex={-1}>
      <Parts of={parts} />
    </Name>
  );
}

function List({ isOrdered, items }: Extract<Block, { kind: 'list' }>) {
  const Name = isOrdered ? 'ol' : 'ul';
  return (
    <Name>
      {items.map((item, index) => (
        <li key={index}>
          <Content blocks={item} />
        </li>
      ))}
    </Name>
  );
}

/** What a guide says, in its order. */
export function Content({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) => {
        switch (block.kind) {
          case 'heading':
            return <Heading {...block} key={index} />;
          case 'text':
            return (
              <p key={index}>
                <Parts of={block.parts} />
              </p>
            );
          case 'code':
            return (
              <pre key={index} tabIndex={0} aria-label={`Code, ${block.language || 'text'}`}>
                <code>{block.text}</code>
              </pre>
            );
          case 'quote':
            return (
              <blockquote key={index}>
                <Content blocks={block.blocks} />
              </blockquote>
            );
          case 'list':
            return <List {...block} key={index} />;
          case 'table':
            return <Table {...block} key={index} />;
        }
      })}
    </>
  );
}
