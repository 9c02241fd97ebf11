; What C++ has beyond C.
(class_specifier name: (type_identifier) @name body: (_)) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(namespace_definition name: (namespace_identifier) @name) @definition.module
(function_definition
  declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @definition.function

(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @definition.function
(function_definition
  declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @definition.function
(function_definition
  declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @definition.function
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @declaration.function

(function_definition
  declarator: (function_declarator
    declarator: (qualified_identifier scope: (_) @container name: (identifier) @name))) @definition.function
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (qualified_identifier scope: (_) @container name: (identifier) @name)))) @definition.function
(function_definition
  declarator: (reference_declarator
    (function_declarator
      declarator: (qualified_identifier scope: (_) @container name: (identifier) @name)))) @definition.function
(lambda_expression) @scope
